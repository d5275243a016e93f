"""The vocabulary of the invented notices: places, authorities and subjects that do not exist."""

from __future__ import annotations

from dataclasses import dataclass

PLACE_BEGINNINGS = (
    "Ahlen", "Birken", "Brunn", "Dorn", "Eber", "Falken", "Garten", "Hasel", "Immen", "Kessel", "Linden", "Mohn",
    "Nessel", "Otter", "Pappel", "Quell", "Reiher", "Salz", "Tannen", "Ulmen", "Vogel", "Wacholder", "Zander", "Zinn",
)  # fmt: skip
PLACE_ENDINGS = (
    "au", "bach", "berg", "brück", "dorf", "feld", "furt", "grund", "hain", "heim", "kirchen", "moor", "rode", "see",
    "stein", "tal", "wald", "weiler",
)  # fmt: skip
ENGLISH_BEGINNINGS = (
    "Alder", "Bram", "Cold", "Dun", "Elder", "Fen", "Glen", "Hazel", "Iron", "Kestrel", "Lark", "Marl", "Nettle",
    "Otter", "Pebble", "Quarry", "Rook", "Sedge", "Thistle", "Under", "Violet", "Withy",
)  # fmt: skip
ENGLISH_ENDINGS = (
    "bridge", "bury", "combe", "dale", "ford", "gate", "ham", "hurst", "leigh", "mere", "mouth", "sea", "shaw", "stow",
    "thwaite", "wick",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """What is bought, in the languages that the invented buyers write."""

    cpv: str
    related: tuple[str, ...]
    label: str
    nature: str
    deu: str
    fra: str
    pol: str
    ell: str
    eng: str


SUBJECTS = (
    Subject("45310000", ("45311200", "45315600"), "Electrical installation work", "works",
            "Elektroinstallation", "Installation électrique", "Instalacja elektryczna",
            "Ηλεκτρολογική εγκατάσταση", "Electrical installation"),
    Subject("45260000", ("45261210", "45261420"), "Roof works", "works",
            "Dachabdichtung", "Réfection de la toiture", "Remont dachu", "Επισκευή στέγης", "Roof repair"),
    Subject("90910000", ("90911200", "90919200"), "Cleaning services", "services",
            "Gebäudereinigung", "Nettoyage des locaux", "Sprzątanie budynków", "Καθαρισμός κτιρίων",
            "Cleaning of buildings"),
    Subject("72000000", ("72253000", "72267000"), "IT services", "services",
            "Betrieb der Rechnernetze", "Exploitation du réseau informatique", "Utrzymanie sieci komputerowej",
            "Λειτουργία δικτύου υπολογιστών", "Operation of computer networks"),
    Subject("30200000", ("30213100", "30237200"), "Computer equipment and supplies", "supplies",
            "Lieferung tragbarer Rechner", "Fourniture d'ordinateurs portables", "Dostawa komputerów przenośnych",
            "Προμήθεια φορητών υπολογιστών", "Supply of portable computers"),
    Subject("34144210", ("34144200",), "Firefighting vehicles", "supplies",
            "Löschgruppenfahrzeug", "Véhicule de lutte contre l'incendie", "Samochód ratowniczo-gaśniczy",
            "Πυροσβεστικό όχημα", "Firefighting vehicle"),
    Subject("09310000", ("65310000",), "Electricity", "supplies",
            "Stromlieferung", "Fourniture d'électricité", "Dostawa energii elektrycznej",
            "Προμήθεια ηλεκτρικής ενέργειας", "Supply of electricity"),
    Subject("77310000", ("77311000", "77340000"), "Planting and maintenance services of green areas", "services",
            "Pflege der Grünanlagen", "Entretien des espaces verts", "Utrzymanie terenów zielonych",
            "Συντήρηση χώρων πρασίνου", "Maintenance of green areas"),
    Subject("71200000", ("71221000", "71240000"), "Architectural and related services", "services",
            "Objektplanung", "Maîtrise d'œuvre", "Opracowanie dokumentacji projektowej", "Αρχιτεκτονική μελέτη",
            "Architectural design"),
    Subject("60130000", ("60112000",), "Special-purpose road passenger-transport services", "services",
            "Schülerbeförderung", "Transport scolaire", "Dowóz uczniów do szkół", "Μεταφορά μαθητών",
            "School transport"),
    Subject("15800000", ("55524000",), "Miscellaneous food products", "supplies",
            "Lieferung von Mittagessen", "Livraison de repas", "Dostawa posiłków", "Προμήθεια γευμάτων",
            "Supply of lunches"),
    Subject("45233140", ("45233141", "45233142"), "Roadworks", "works",
            "Erneuerung der Fahrbahn", "Renouvellement de la chaussée", "Przebudowa drogi",
            "Ανακατασκευή οδοστρώματος", "Resurfacing of roads"),
)  # fmt: skip

FACILITIES = {
    "deu": ("Grundschule", "Rathaus", "Feuerwache", "Hallenbad", "Bauhof", "Stadtbücherei", "Klinikum", "Kita"),
    "fra": ("école", "mairie", "caserne", "piscine", "dépôt", "médiathèque", "hôpital", "crèche"),
    "pol": ("szkoła", "ratusz", "remiza", "pływalnia", "baza", "biblioteka", "szpital", "przedszkole"),
    "ell": ("σχολείο", "δημαρχείο", "σταθμός", "κολυμβητήριο", "αποθήκη", "βιβλιοθήκη", "νοσοκομείο", "παιδικός"),
    "eng": ("school", "town hall", "fire station", "swimming pool", "depot", "library", "hospital", "nursery"),
}

SENTENCES = {
    "deu": (
        "Ausgeschrieben wird {subject} für {facility} {place}.",
        "Die Leistung umfasst Planung, Ausführung und Dokumentation nach dem beigefügten Leistungsverzeichnis.",
        "Der Betrieb der Einrichtung läuft während der Arbeiten weiter; lärmende Arbeiten enden vor acht Uhr.",
        "Eine Besichtigung ist bis zehn Tage vor Ablauf der Frist möglich.",
        "Nebenangebote sind nicht zugelassen. Bewertet werden Preis (60 %) und Konzept (40 %).",
        "Die Laufzeit beträgt {months} Monate und verlängert sich zweimal um je zwölf Monate.",
    ),
    "fra": (
        "La consultation a pour objet : {subject}, {facility} de {place}.",
        "Les prestations comprennent les études, l'exécution et la remise des documents d'exploitation.",
        "L'établissement reste ouvert pendant toute la durée des travaux.",
        "Une visite des lieux est obligatoire avant la remise des offres.",
        "Le marché est conclu pour {months} mois et peut être reconduit deux fois.",
    ),
    "pol": (
        "Przedmiotem zamówienia jest {subject}: {facility}, {place}.",
        "Zakres obejmuje przygotowanie, wykonanie oraz dokumentację powykonawczą.",
        "Obiekt pozostaje czynny przez cały okres realizacji.",
        "Umowa zostanie zawarta na {months} miesięcy.",
    ),
    "ell": (
        "Αντικείμενο της σύμβασης: {subject}, {facility}, {place}.",
        "Περιλαμβάνονται η μελέτη, η εκτέλεση και η παράδοση των εγγράφων.",
        "Η διάρκεια της σύμβασης είναι {months} μήνες.",
    ),
    "eng": (
        "The contract is for {subject} at {facility} {place}.",
        "The works include design, execution and the handing over of all records.",
        "The premises stay open to the public throughout.",
        "Bidders may visit the site until ten days before the closing date.",
        "The contract runs for {months} months and may be extended twice.",
    ),
}
