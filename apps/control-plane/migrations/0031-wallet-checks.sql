-- Plain names: a wallet compatibility check has results; a result has a name, a requirement and an impact.
create function renamed_report(report jsonb) returns jsonb language sql immutable as $$
  select jsonb_build_object('checkedAt', report -> 'checkedAt', 'results', (
    select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'check', 'sep', r -> 'sep',
      'requirement', r -> 'demand', 'impact', r -> 'meaning', 'passed', r -> 'passed',
      'detail', r -> 'detail', 'durationMs', r -> 'took') order by n), '[]')
    from jsonb_array_elements(report -> 'findings') with ordinality as old (r, n)))
$$;
alter table conformance_checks rename to wallet_checks;
alter index conformance_checks_due rename to wallet_checks_due;
update wallet_checks set report = renamed_report(report) where report is not null;
update outbox set topic = 'wallet-checks',
  payload = jsonb_set(payload, '{report}', renamed_report(payload -> 'report'))
where topic = 'conformance';
drop function renamed_report (jsonb);
