/** One stage of provisioning each, in the order in which they run; what stands in between is inside of a stage. */
const BY_STAGE = {
  keys: [],
  funding: ['funded', 'issue-stored', 'issue-applied'],
  configuration: ['secrets-kept'],
  databases: [],
  servers: ['business-started', 'sep-started'],
  health: [],
  activation: ['acknowledged'],
}

/** Every point at which a control plane that makes an anchor of its own asset can be killed (FAULT_POINT), in their order. */
export const FAULT_POINTS: readonly string[] = Object.entries(BY_STAGE).flatMap(([stage, inside]) =>
  ['begun', ...inside, 'done'].map(point => `${stage}:${point}`),
)
