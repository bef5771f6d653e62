-- What a payment or an order waits for is a code with details; the sentence is made where it is shown (docs/adr/0095).
-- A server of release 0.1 that still runs during an upgrade reads and writes ledger_payments.waits_for: it stays.
alter table ledger_payments
  add column wait_code text check (wait_code in ('treasury-short', 'treasury-frozen', 'xlm', 'no-account',
    'no-trustline', 'not-authorized', 'trustline-full', 'unproven', 'screening', 'travel-data', 'refused',
    'unavailable')),
  add column wait_details jsonb not null default '{}';
alter table rail_orders
  add column wait_code text check (wait_code in ('screening', 'travel-data', 'unbound')),
  add column wait_details jsonb not null default '{}';

update ledger_payments set
  wait_code = case
    when waits_for like 'The anchor cannot pay out this amount at the moment.%' then 'treasury-short'
    when waits_for like 'The issuer has not authorized the anchor to pay%' then 'treasury-frozen'
    when waits_for ~ '^needs [0-9.]+ XLM$' then 'xlm'
    when waits_for like 'The account does not exist.%' then 'no-account'
    when waits_for like 'Trustline missing.%' then 'no-trustline'
    when waits_for like 'The issuer has not authorized the trustline%' then 'not-authorized'
    when waits_for like 'The trustline cannot hold the amount.%' then 'trustline-full'
    when waits_for like 'An operator must say whether it was paid%' then 'unproven'
    when waits_for like 'An operator must decide about%' then 'screening'
    when waits_for like 'The travel rule asks for more about the customer:%' then 'travel-data'
    when attempts > 0 then 'refused'
    else 'unavailable' end
  where waits_for is not null and state = 'queued';
update ledger_payments set
  wait_details = case
    when wait_code = 'xlm' then jsonb_build_object('missing', substring(waits_for from '[0-9.]+'))
    when wait_code in ('no-account', 'no-trustline', 'not-authorized', 'trustline-full')
      then jsonb_build_object('asset', substring(waits_for from '(?:trustline for|to buy) ([A-Za-z0-9]+)'))
    when wait_code = 'travel-data'
      then jsonb_build_object('fields', to_jsonb(string_to_array(substring(waits_for from 'customer: ([a-z_0-9, ]+)'), ', ')))
    when wait_code in ('refused', 'unavailable') then jsonb_build_object('error', waits_for)
    else '{}' end
  where wait_code is not null;

update rail_orders set
  wait_code = case
    when waits_for like 'An operator must decide about%' then 'screening'
    when waits_for like 'The travel rule asks for more about the customer:%' then 'travel-data'
    else 'unbound' end,
  wait_details = case
    when waits_for like 'The travel rule asks for more about the customer:%'
      then jsonb_build_object('fields', to_jsonb(string_to_array(substring(waits_for from 'customer: ([a-z_0-9, ]+)'), ', ')))
    else '{}' end
  where waits_for is not null and state in ('queued', 'sent');
alter table rail_orders drop column waits_for;

-- Who said that money came.
alter table rail_receipts add column source text not null default 'rail' check (source in ('rail', 'operator'));
update rail_receipts set source = 'operator' where why = 'an operator marked it as paid';

-- What the customer's pages say of a transfer in their language.
alter table transfers add column notice text check (notice in ('paid-already', 'waits-for-treasury'));
update transfers set notice = case
    when message like 'Your payment arrived and the asset was sent%' then 'paid-already' else 'waits-for-treasury' end
  where message like 'Your payment arrived and the asset was sent%'
    or message like 'The anchor cannot pay out this amount at the moment. It continues%';

-- Returns that people took back before they were paid.
alter table rail_orders add column taken_back boolean not null default false;
update rail_orders set taken_back = true, failure = null where failure = 'people reversed their decision';
