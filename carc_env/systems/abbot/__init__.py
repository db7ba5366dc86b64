"""The Abbot: texts and signs."""
