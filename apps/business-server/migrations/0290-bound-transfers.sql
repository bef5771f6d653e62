-- What was agreed about a withdrawal is bound, as orders are (docs/adr/0176). Alone, since it waits for everyone who reads transfers.
alter table transfers add column bound bytea;
