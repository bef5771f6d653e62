import type { Deps } from '../deps.ts'
import { Refusal } from '../protocol/refusal.ts'
import type { TagResource, UntagResource } from './inputs.ts'
import type { Tag } from './table.ts'
import { lockSecret } from './lock.ts'

export async function tagSecret(deps: Deps, input: TagResource): Promise<object> {
  return changeTags(deps, input.SecretId, tags => [
    ...tags.filter(tag => !input.Tags.some(added => added.Key === tag.Key)),
    ...input.Tags,
  ])
}

export async function untagSecret(deps: Deps, input: UntagResource): Promise<object> {
  return changeTags(deps, input.SecretId, tags => tags.filter(tag => !input.TagKeys.includes(tag.Key)))
}

async function changeTags(deps: Deps, id: string, change: (tags: Tag[]) => Tag[]): Promise<object> {
  return deps.database.db.transaction().execute(async tx => {
    const { arn, tags } = await lockSecret(tx, id)
    const changed = change(tags)
    if (changed.length > 50) throw new Refusal('InvalidParameterException', 'A secret has at most 50 tags.')
    await tx
      .updateTable('secrets')
      .set({ tags: JSON.stringify(changed), changed_at: deps.clock.now() })
      .where('arn', '=', arn)
      .execute()
    return {}
  })
}
