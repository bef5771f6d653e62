import { Notice } from '@windlass/ui/notice.tsx'
import { proposals as texts } from './proposal-texts.ts'

/** Says that a founder of this country has to choose rails of elsewhere. */
export default function NoRail({ country }: { country: string }) {
  return <Notice tone="warn" title={texts.noRail(country)} />
}
