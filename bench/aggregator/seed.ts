import type pg from 'pg'

interface Seed {
  /** Registered in all. */
  anchors: number
  /** `http://127.{a}.{b}.{c}:PORT` for each: every anchor a host of its own. */
  apiPort: number
}

/** Asset, rail and region that one group of the seeded anchors serves. */
export const corridors = ['USDC', 'EURT', 'BRLX'].flatMap(asset =>
  [
    { rail: 'UPI', region: 'IN' },
    { rail: 'SEPA', region: 'DE' },
    { rail: 'PIX', region: 'BR' },
  ].map(place => ({ asset, ...place, currency: 'INR' })),
)

/** The one for which there is a rate. */
export const quotedCorridor = corridors[0] ?? { asset: '', rail: '', region: '', currency: '' }

/**
 * Among those who serve a corridor one in forty is suspended, one in forty has little capacity and one in forty is down: as
 * the fleet answers, so that the first poll of all does not change everything.
 */
export async function seedAnchors(pool: pg.Pool, { anchors, apiPort }: Seed): Promise<void> {
  await pool.query(
    `insert into anchors (id, slug, name, domain, api_url, status, regions, assets, rails, limit_min, limit_max, fee_fixed,
       fee_percentage, settlement, treasury_capacity, current_availability, last_checked_at, created_at, updated_at)
     select 'a' || lpad(n::text, 19, '0'), 'anchor-' || n, 'Anchor ' || n, 'anchor-' || n || '.example.com',
       format('http://127.%s.%s.%s:%s', 1 + n / 62500, n / 250 % 250, 1 + n % 250, $2::int),
       case when n % 40 = 1 then 'suspended' else 'active' end,
       array[c.corridor ->> 'region', 'NP'],
       jsonb_build_array(jsonb_build_object('code', c.corridor ->> 'asset', 'issuer', rpad('G', 56, 'A'), 'anchoredTo', 'USD')),
       array[c.corridor ->> 'rail', 'IMPS'],
       0.0000001, 100000000,
       round((0.1 + random() * 2)::numeric, 2), round((random() * 0.02)::numeric, 4),
       case when random() < 0.7 then 'instant' else 'under_60_minutes' end,
       case when n % 40 = 2 then 50 else 5000.67 + n % 997 * 60 end,
       n % 40 <> 3, now(), now(), now()
     from generate_series(0, $1 - 1) n, lateral (select $3::jsonb -> (n % jsonb_array_length($3::jsonb)) as corridor) c`,
    [anchors, apiPort, JSON.stringify(corridors)],
  )
}

/** An hour of checks every 15 seconds for each anchor, one in fifty of them failed, those of a second in one batch. */
export async function seedHour(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into health_metrics
     select id, at, random() > 0.02, treasury_capacity, (5 + random() * 40)::int, 'summary', null,
       (overlay(lpad(to_hex(floor(extract(epoch from at))::bigint * 1000), 12, '0') placing '-' from 9 for 0)
         || '-7000-8000-000000000000')::uuid
     from (
       select a.id, a.treasury_capacity, now() - make_interval(secs => 15 * k + random() * 14) as at
       from generate_series(0, 239) k, anchors a
     ) checks`,
  )
  await pool.query('analyze')
}
