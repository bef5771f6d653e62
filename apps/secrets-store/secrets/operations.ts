import type { Deps } from '../deps.ts'
import { operation, type Operation } from '../protocol/serve.ts'
import { createSecret } from './create.ts'
import { deleteSecret, restoreSecret } from './delete.ts'
import * as inputs from './inputs.ts'
import { describeSecret, listSecrets, listVersions } from './list.ts'
import { getSecretValue } from './read.ts'
import { tagSecret, untagSecret } from './tags.ts'
import { putSecretValue, updateSecret } from './write.ts'
import { updateVersionStage } from './stages.ts'

/** The operations of AWS Secrets Manager that are served, by their AWS names. */
export const secretOperations = (deps: Deps): Record<string, Operation> => ({
  CreateSecret: operation(inputs.CreateSecret, input => createSecret(deps, input)),
  GetSecretValue: operation(inputs.GetSecretValue, input => getSecretValue(deps, input)),
  PutSecretValue: operation(inputs.PutSecretValue, input => putSecretValue(deps, input)),
  UpdateSecret: operation(inputs.UpdateSecret, input => updateSecret(deps, input)),
  UpdateSecretVersionStage: operation(inputs.UpdateSecretVersionStage, input =>
    updateVersionStage(deps, input),
  ),
  DeleteSecret: operation(inputs.DeleteSecret, input => deleteSecret(deps, input)),
  RestoreSecret: operation(inputs.OneSecret, input => restoreSecret(deps, input)),
  DescribeSecret: operation(inputs.OneSecret, input => describeSecret(deps, input)),
  ListSecrets: operation(inputs.ListSecrets, input => listSecrets(deps, input)),
  ListSecretVersionIds: operation(inputs.ListSecretVersionIds, input => listVersions(deps, input)),
  TagResource: operation(inputs.TagResource, input => tagSecret(deps, input)),
  UntagResource: operation(inputs.UntagResource, input => untagSecret(deps, input)),
})
