"""Events about tenders: their contract, the outbox, and RabbitMQ."""
