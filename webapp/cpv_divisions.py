"""The divisions of the Common Procurement Vocabulary (Regulation (EC) No 213/2008), in the page's languages."""

from __future__ import annotations

DIVISIONS: dict[str, tuple[str, str]] = {
    "03": ("Agriculture, farming, fishing, forestry", "Land- und Forstwirtschaft, Fischerei"),
    "09": ("Fuels, electricity and other energy", "Brennstoffe, Strom und andere Energie"),
    "14": ("Mining, basic metals", "Bergbau, Metalle"),
    "15": ("Food, beverages, tobacco", "Nahrungsmittel, Getränke, Tabak"),
    "16": ("Agricultural machinery", "Landwirtschaftliche Maschinen"),
    "18": ("Clothing, footwear, luggage", "Bekleidung, Schuhe, Reiseartikel"),
    "19": ("Leather, textiles, plastic, rubber", "Leder, Textilien, Kunststoff, Gummi"),
    "22": ("Printed matter", "Druckerzeugnisse"),
    "24": ("Chemical products", "Chemische Erzeugnisse"),
    "30": ("Office and computing machinery", "Büromaschinen und Computer"),
    "31": ("Electrical machinery, lighting", "Elektrische Geräte, Beleuchtung"),
    "32": ("Radio, television, telecommunication", "Rundfunk, Fernsehen, Telekommunikation"),
    "33": ("Medical equipment, pharmaceuticals", "Medizinische Ausrüstung, Arzneimittel"),
    "34": ("Transport equipment", "Fahrzeuge und Transportmittel"),
    "35": ("Security, fire-fighting, police, defence", "Sicherheit, Feuerwehr, Polizei, Verteidigung"),
    "37": ("Musical instruments, sport, games, toys", "Musikinstrumente, Sport, Spiele, Spielzeug"),
    "38": ("Laboratory, optical, precision equipment", "Labor-, optische und Präzisionsgeräte"),
    "39": ("Furniture, furnishings, cleaning products", "Möbel, Einrichtung, Reinigungsmittel"),
    "41": ("Water", "Wasser"),
    "42": ("Industrial machinery", "Industriemaschinen"),
    "43": ("Mining, quarrying, construction machinery", "Bergbau- und Baumaschinen"),
    "44": ("Construction materials and structures", "Baustoffe und Baukonstruktionen"),
    "45": ("Construction work", "Bauarbeiten"),
    "48": ("Software and information systems", "Software und Informationssysteme"),
    "50": ("Repair and maintenance", "Reparatur und Wartung"),
    "51": ("Installation", "Installation"),
    "55": ("Hotel, restaurant, retail", "Hotel, Gastronomie, Einzelhandel"),
    "60": ("Transport", "Beförderung und Transport"),
    "63": ("Supporting transport, travel agencies", "Transporthilfen, Reisebüros"),
    "64": ("Post and telecommunications", "Post und Telekommunikation"),
    "65": ("Public utilities", "Öffentliche Versorgung"),
    "66": ("Finance and insurance", "Finanzen und Versicherung"),
    "70": ("Real estate", "Immobilien"),
    "71": ("Architecture, engineering, inspection", "Architektur, Ingenieurwesen, Prüfung"),
    "72": ("IT services", "IT-Dienste"),
    "73": ("Research and development", "Forschung und Entwicklung"),
    "75": (
        "Public administration, defence, social security",
        "Öffentliche Verwaltung, Verteidigung, Sozialversicherung",
    ),
    "76": ("Oil and gas industry", "Öl- und Gasindustrie"),
    "77": ("Agricultural, forestry, horticultural services", "Land-, Forst- und Gartenbaudienste"),
    "79": ("Business: law, marketing, consulting, printing", "Unternehmensdienste: Recht, Marketing, Beratung, Druck"),
    "80": ("Education and training", "Bildung und Schulung"),
    "85": ("Health and social work", "Gesundheit und Soziales"),
    "90": ("Sewage, refuse, cleaning, environment", "Abwasser, Abfall, Reinigung, Umwelt"),
    "92": ("Recreation, culture, sport", "Freizeit, Kultur, Sport"),
    "98": ("Other community, social, personal services", "Sonstige gemeinschaftliche und persönliche Dienste"),
}


def division_name(code: str, locale: str) -> str | None:
    """The name of the division of a CPV code in German or, for any other locale, in English; None if unknown."""
    names = DIVISIONS.get(code[:2])
    return names[locale.startswith("de")] if names else None
