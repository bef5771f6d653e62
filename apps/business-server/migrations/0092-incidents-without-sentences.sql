-- An incident is its kind and its details; what is said of it is made from them (docs/adr/0095). A server of release 0.1
-- that still runs during an upgrade reads and writes the message.
alter table ledger_incidents
  alter column message set default '',
  add column ended_as text check (ended_as in ('transaction-applied', 'transaction-known', 'payment-processed',
    'nothing-missing', 'network-reset', 'started-over', 'ledger-found-again'));

update ledger_incidents set details = jsonb_strip_nulls(jsonb_build_object(
    'asset', substring(message from 'The distribution account holds \S+ ([A-Za-z0-9]+),'))) || details
  where kind = 'history-gap';
update ledger_incidents set details = jsonb_build_object(
    'open', coalesce(substring(message from '(\d+) open transfers')::int, 0)) || details
  where kind = 'network-reset';
update ledger_incidents set details = jsonb_build_object('payment', regexp_replace(subject, '^.*:', '')) || details
  where kind = 'unreadable-payment';
update ledger_incidents set details = jsonb_build_object(
    'unit', substring(message from 'The payment of \S+ (\S+) to'),
    'destination', substring(message from 'The payment of \S+ \S+ to (\S+) was signed')) || details
  where kind = 'unproven-payment';
update ledger_incidents set details = jsonb_strip_nulls(jsonb_build_object(
    'unit', substring(message from ' paid \S+ (\S+) to '),
    'reference', substring(message from '\(reference ([^,]+), '),
    'money', substring(message from '\(reference [^,]+, (\S+) '),
    'currency', substring(message from '\(reference [^,]+, \S+ ([A-Z]{3})\)'))) || details
  where kind = 'unrecorded-payment';
update ledger_incidents set details = case
    when details ? 'rail' then jsonb_build_object('reason',
      case when message like '%marked as paid before.%' then 'marked' else 'no-reference' end)
    else jsonb_build_object('reason', 'restored', 'unit', substring(message from '^\S+ (\S+) came from'),
      'memo', nullif(substring(message from ', memo (.*)\)(?:, and| before the database)'), 'none')) end || details
  where kind = 'held-receipt';
update ledger_incidents set details = details || '{"public": true}'
  where kind = 'other-chain' and message not like '%If the test network was reset%';

update ledger_incidents set resolution = null, ended_as = case resolution
    when 'The transaction was applied.' then 'transaction-applied'
    when 'Its transaction is known again.' then 'transaction-known'
    when 'The payment was processed.' then 'payment-processed'
    when 'The balance equals the records: nothing is missing.' then 'nothing-missing'
    when 'The network was reset.' then 'network-reset'
    when 'The server started over on the new chain.' then 'started-over'
    else 'ledger-found-again' end
  where resolved_by is null and resolution in ('The transaction was applied.', 'Its transaction is known again.',
    'The payment was processed.', 'The balance equals the records: nothing is missing.', 'The network was reset.',
    'The server started over on the new chain.', 'ledger-found-again');
