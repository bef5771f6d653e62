/** Where a withdrawal goes, as SEP-6 names it; by `/info`, and by a transaction that asks again. */
export const destinationFields = (rail: string | null, currency?: string) => ({
  dest: { description: `the account that receives ${currency ?? 'the money'}${rail ? ` over ${rail}` : ''}` },
  dest_extra: { description: 'routing number, IFSC or BIC of that account', optional: true },
})

/** What a wallet may change while it is asked to. */
export const changeable = Object.keys(destinationFields(null))
