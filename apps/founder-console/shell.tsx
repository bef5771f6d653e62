import { SiteShell } from '@windlass/ui/console/site-shell.tsx'
import { paths } from './paths.ts'
import { shell as texts } from './texts.ts'

export function Shell() {
  return (
    <SiteShell
      home={paths.home()}
      items={[
        [paths.apply(), texts.apply],
        [paths.redeem(), texts.redeem],
        [paths.workspaces(), texts.workspaces],
      ]}
      footer={texts.footer}
    />
  )
}
