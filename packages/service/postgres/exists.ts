interface Query {
  limit(rows: number): { executeTakeFirst(): Promise<unknown> }
}

/** Whether a query finds a row. */
export async function exists(query: Query): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined
}
