import { createProcesses } from '../processes/processes.ts'
import { createSpares } from '../processes/spares.ts'
import type { ServerSpec } from '../runtime.ts'

/* A control plane as far as a runtime knows one: starts what it is sent, with one spare of each role, until it is killed. */
const [home = '', program = ''] = process.argv.slice(2)
const common = { programs: { sep: program, business: program }, memory: 64 }
const runtime = createProcesses({
  ...common,
  runFolder: `${home}/run`,
  logFolder: `${home}/logs`,
  spares: createSpares({ ...common, count: 1, loadAfterMs: 0 }),
})
process.on('message', (spec: ServerSpec) => void runtime.start(spec).then(state => process.send?.(state)))
