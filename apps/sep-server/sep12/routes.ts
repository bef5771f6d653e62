import {
  deleteSep12Customer,
  getSep12Customer,
  putSep12Callback,
  putSep12Customer,
} from '@windlass/contracts/sep12.ts'
import { answer } from '@windlass/service/endpoint-route.ts'
import type { On } from '@windlass/service/server.ts'
import type { Deps } from '../deps.ts'
import { refused } from '../sep-errors.ts'
import { readFields } from '../sep-fields.ts'
import { customerKey } from './customer-key.ts'
import { deleteCustomer, setCallback } from './customers.ts'

const keyNames = ['id', 'account', 'memo', 'memo_type', 'type', 'lang', 'transaction_id'] as const

export function serveSep12(on: On, deps: Deps): void {
  on(getSep12Customer).serve(({ principal, query }) =>
    deps.business.getCustomer(customerKey(principal, query)),
  )
  on(putSep12Customer).serve(async ({ principal, raw, request }) => {
    const fields = await readFields(request, raw)
    const key = customerKey(principal, fields)
    const details = Object.fromEntries(
      Object.entries(fields).filter(([name]) => !keyNames.some(each => each === name)),
    )
    return deps.business.putCustomer({ ...details, ...key })
  })
  on(putSep12Callback).serve(async ({ principal, raw, request }) => {
    const { url, ...given } = await readFields(request, raw)
    if (!url || !URL.canParse(url)) throw refused('url must be an address')
    await setCallback(deps, customerKey(principal, given), url)
    return answer(204, undefined)
  })
  on(deleteSep12Customer).serve(async ({ principal, params, raw, request }) => {
    const given = await readFields(request, raw)
    await deleteCustomer(deps, customerKey(principal, { ...given, account: params.account }))
    return {}
  })
}
