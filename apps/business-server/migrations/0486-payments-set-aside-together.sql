-- Where the payments end that share an incident: each page of unproven payments looks for those that wait already.
create index ledger_incidents_gathered_until on ledger_incidents (((details->>'until')::numeric))
  where kind = 'unreadable-payment' and details->>'until' is not null;
