import type pg from 'pg'

export interface Seed {
  /** Registered in all. */
  anchors: number
  /** Of them those that can take the benchmark's transaction. */
  eligible: number
  /** `http://127.{a}.{b}.{c}:PORT` for each: every anchor a host of its own. */
  apiPort: number
}

/** The transaction that `eligible` anchors can take. */
export const benchTransaction = { asset: 'USDC', rail: 'UPI', region: 'IN', currency: 'INR' }

/**
 * Anchors with fees, capacities and settlement all their own: beside the eligible as many again that fail by
 * availability, status or capacity, the rest by asset, rail or region.
 */
export async function seedAnchors(pool: pg.Pool, { anchors, eligible, apiPort }: Seed): Promise<void> {
  await pool.query(
    `insert into anchors (id, slug, name, domain, api_url, status, regions, assets, rails, limit_min, limit_max, fee_fixed,
       fee_percentage, settlement, treasury_capacity, current_availability, last_checked_at, created_at, updated_at)
     select 'a' || lpad(n::text, 19, '0'), 'anchor-' || n, 'Anchor ' || n, 'anchor-' || n || '.example.com',
       format('http://127.%s.%s.%s:%s', 1 + n / 62500, n / 250 % 250, 1 + n % 250, $3::int),
       case when n >= $2 and n < $2 * 1.1 then 'suspended' else 'active' end,
       case when n % 3 = 0 and n >= $2 * 1.3 then '{DE,FR}' else '{IN,NP}' end::text[],
       case when n % 3 = 1 and n >= $2 * 1.3
         then '[{"code":"EURT","issuer":"' || rpad('G', 56, 'A') || '","anchoredTo":"EUR"}]'
         else '[{"code":"USDC","issuer":"' || rpad('G', 56, 'A') || '","anchoredTo":"USD"}]' end::jsonb,
       case when n % 3 = 2 and n >= $2 * 1.3 then '{SEPA}' else '{UPI,IMPS}' end::text[],
       1, 1000000,
       round((0.1 + random() * 2)::numeric, 2), round((random() * 0.02)::numeric, 4),
       case when random() < 0.7 then 'instant' else 'under_60_minutes' end,
       case when n >= $2 * 1.2 and n < $2 * 1.3 then 50 else round((2000 + random() * 100000)::numeric, 2) end,
       not (n >= $2 * 1.1 and n < $2 * 1.2), now(), now(), now()
     from generate_series(0, $1 - 1) n`,
    [anchors, eligible, apiPort],
  )
}

/** An hour of checks every 15 seconds for each anchor, one in fifty of them failed. */
export async function seedHour(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into health_metrics
     select a.id, now() - make_interval(secs => 15 * k + random() * 14), random() > 0.02, a.treasury_capacity,
       (5 + random() * 40)::int, 'summary', null, '00000000-0000-7000-8000-000000000000'
     from generate_series(0, 239) k, anchors a`,
  )
  await pool.query('analyze')
}
