-- Plain names: a wallet compatibility check has results; a result has a name, a requirement and an impact.
alter table conformance_reports rename to wallet_check_reports;
alter table wallet_check_reports rename column demands to total;
alter table wallet_check_reports rename column findings to results;
update wallet_check_reports set results = (
  select coalesce(jsonb_agg(jsonb_build_object('name', r -> 'check', 'sep', r -> 'sep',
    'requirement', r -> 'demand', 'impact', r -> 'meaning', 'passed', r -> 'passed',
    'detail', r -> 'detail', 'durationMs', r -> 'took') order by n), '[]')
  from jsonb_array_elements(results) with ordinality as old (r, n));
