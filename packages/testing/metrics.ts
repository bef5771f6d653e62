/** The values of a metric in what `/metrics` answered, by their labels as written, without `service`. */
export function metricIn(text: string, name: string): Record<string, number> {
  const samples = text.split('\n').flatMap(line => {
    const [, metric, labels = '', value] = /^(\w+)(?:{(.*)})? (\S+)$/.exec(line) ?? []
    return metric === name ? [[labels.replace(/,?service="[^"]*"/, ''), Number(value)] as const] : []
  })
  return Object.fromEntries(samples)
}
