-- Weights and what contenders are scored by are JSON objects by score, so that a further score needs no new column.

create function weights_sum(weights jsonb) returns numeric language sql immutable as
  $$ select sum(value::numeric) from jsonb_each_text(weights) $$;

alter table routing_policies add column weights jsonb;
alter table routing_policies disable trigger policies_written;
update routing_policies set weights = jsonb_build_object(
  'fee', trim_scale(fee), 'speed', trim_scale(speed), 'uptime', trim_scale(uptime), 'liquidity', trim_scale(liquidity));
alter table routing_policies enable trigger policies_written;
alter table routing_policies
  alter column weights set not null,
  add check (weights_sum(weights) = 1),
  add check (not jsonb_path_exists(weights, '$.* ? (@ < 0)')),
  drop column fee, drop column speed, drop column uptime, drop column liquidity;

-- '400000,200000,200000,200000', in millionths.
create function weights_of(written text) returns jsonb language sql immutable as $$
  select jsonb_object_agg(name, trim_scale(millionths::numeric / 1000000))
  from unnest(array['fee', 'speed', 'uptime', 'liquidity'], string_to_array(written, ',')) as w(name, millionths)
$$;
alter table routing_decisions alter column weights type jsonb using weights_of(weights);
drop function weights_of(text);

-- A line for each contender: id, slug, domain, fixed fee in units, numerator and digits of the percentage, speed, good
-- checks, checks, capacity in units, and the issuer where it is another than in the line before.
create function contenders_of(written text) returns jsonb language sql immutable as $$
  with lines as (
    select place, string_to_array(line, ',') as f
    from string_to_table(rtrim(written, E'\n'), E'\n') with ordinality as l(line, place)
    where line <> ''
  ), named as (
    select *, count(*) filter (where coalesce(f[11], '') <> '') over (order by place) as issuer_run from lines
  )
  select coalesce(jsonb_object_agg(f[1], jsonb_build_object(
    'slug', f[2],
    'domain', f[3],
    'issuer', coalesce(issuer, ''),
    'fees', jsonb_build_object(
      'fixed', trim_scale(f[4]::numeric / 10000000)::text,
      'percentage', trim_scale(f[5]::numeric / (10::numeric ^ f[6]::integer))::text),
    'capacity', trim_scale(f[10]::numeric / 10000000)::text,
    'facts', jsonb_build_object(
      'speed', f[7]::integer,
      'uptime', jsonb_build_array(f[8]::integer, f[9]::integer)))), '{}')
  from (select *, max(f[11]) over (partition by issuer_run) as issuer from named) as n
$$;
alter table routing_snapshots
  add column base_id uuid,
  alter column failing type jsonb using failing::jsonb,
  alter column contenders type jsonb using contenders_of(contenders);
drop function contenders_of(text);
