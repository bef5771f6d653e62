/** The links of Horizon's resources; the SDK turns each into a method of the record. */
export function accountLinks(base: string, id: string) {
  const self = `${base}/accounts/${id}`
  const page = (name: string) => ({ href: `${self}/${name}{?cursor,limit,order}`, templated: true })
  return {
    self: { href: self },
    transactions: page('transactions'),
    operations: page('operations'),
    payments: page('payments'),
    effects: page('effects'),
    offers: page('offers'),
    trades: page('trades'),
    data: { href: `${self}/data/{key}`, templated: true },
  }
}

export function ledgerLinks(base: string, sequence: number) {
  const self = `${base}/ledgers/${sequence}`
  const page = (name: string) => ({ href: `${self}/${name}{?cursor,limit,order}`, templated: true })
  return {
    self: { href: self },
    transactions: page('transactions'),
    operations: page('operations'),
    payments: page('payments'),
    effects: page('effects'),
  }
}

export function transactionLinks(base: string, hash: string, account: string, ledger: number, id: bigint) {
  const self = `${base}/transactions/${hash}`
  const page = (name: string) => ({ href: `${self}/${name}{?cursor,limit,order}`, templated: true })
  return {
    self: { href: self },
    account: { href: `${base}/accounts/${account}` },
    ledger: { href: `${base}/ledgers/${ledger}` },
    operations: page('operations'),
    effects: page('effects'),
    precedes: { href: `${base}/transactions?order=asc&cursor=${id}` },
    succeeds: { href: `${base}/transactions?order=desc&cursor=${id}` },
    transaction: { href: self },
  }
}

export function operationLinks(base: string, id: bigint, hash: string) {
  const self = `${base}/operations/${id}`
  return {
    self: { href: self },
    transaction: { href: `${base}/transactions/${hash}` },
    effects: { href: `${self}/effects` },
    succeeds: { href: `${base}/effects?order=desc&cursor=${id}` },
    precedes: { href: `${base}/effects?order=asc&cursor=${id}` },
  }
}

export function claimableBalanceLinks(base: string, id: string) {
  const self = `${base}/claimable_balances/${id}`
  const page = (name: string) => ({ href: `${self}/${name}{?cursor,limit,order}`, templated: true })
  return { self: { href: self }, transactions: page('transactions'), operations: page('operations') }
}
