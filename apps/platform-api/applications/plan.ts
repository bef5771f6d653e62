import { normalizedEmail } from '../mail/email.ts'
import { countriesOf } from '@windlass/contracts/platform/anchor-rails.ts'
import type { AnchorPlan } from '@windlass/contracts/internal/anchor-plan.ts'
import { NATIVE } from '@windlass/contracts/internal/served-assets.ts'
import { parseAmount } from '@windlass/money/amount.ts'
import type { Config } from '../config.ts'
import { newAnchorId } from '../ids.ts'
import { isForXlm } from './check-assets.ts'
import type { InvitationRow } from './invitations.ts'
import type { StellarConfig } from '@windlass/contracts/platform/applications.ts'
import { DEFAULT_RAILS, ISSUED } from './read-submission.ts'
import { homeDomainOf } from './subdomain.ts'

type Application = Pick<
  InvitationRow,
  'company_profile' | 'stellar_config' | 'payment_rails' | 'compliance' | 'credentials'
>

/** Largest transfer by default of an existing asset, which the founder has to buy. */
const EXISTING_MAX = '10000'

/** What the anchor is to be: what the founder said, and for the rest the defaults. */
export function planAnchor(application: Application, subdomain: string, config: Config): AnchorPlan {
  const { company_profile: company, stellar_config: stellar, payment_rails: rails } = application
  const website = webAddress(company.website)
  const asset = plannedAsset(stellar, subdomain)
  const furtherAssets = plannedFurther(stellar)
  return {
    anchorId: newAnchorId(),
    organizationName: company.name.trim(),
    businessEmail: normalizedEmail(company.businessEmail),
    ...(website ? { website } : {}),
    subdomain,
    homeDomain: homeDomainOf(subdomain, config.anchors),
    asset,
    ...(furtherAssets.length > 0 ? { furtherAssets } : {}),
    rails: rails.rails ?? DEFAULT_RAILS,
    regions: application.compliance.regions?.length
      ? application.compliance.regions
      : countriesOf(rails.rails ?? DEFAULT_RAILS),
    settlement: rails.settlement ?? 'instant',
    fees: { fixed: rails.fee?.fixed ?? '0.5', percentage: rails.fee?.percentage ?? '0.005' },
    limits: limitsOf(rails.limits, asset.issuer || furtherAssets.length > 0 ? EXISTING_MAX : ISSUED),
    ...(application.credentials ? { railCredentials: application.credentials } : {}),
  }
}

function plannedAsset({ assets, ...alone }: StellarConfig, subdomain: string): AnchorPlan['asset'] {
  const [asset] = assets ?? []
  if (asset && isForXlm({ assets }))
    return {
      ...{ code: asset.code, issuer: NATIVE, name: asset.name?.trim() || 'Lumen' },
      ...{ anchoredTo: asset.code, issued: '0' },
    }
  const code = asset?.code ?? (alone.assetCode || codeFrom(subdomain))
  return {
    code,
    ...(asset?.issuer ? { issuer: asset.issuer } : {}),
    name: (asset?.name ?? alone.assetName)?.trim() || code,
    anchoredTo: (asset?.anchoredTo || alone.anchoredTo || 'USD').toUpperCase(),
    issued: asset?.issuer ? '0' : ISSUED,
  }
}

const plannedFurther = ({ assets = [] }: StellarConfig): NonNullable<AnchorPlan['furtherAssets']> =>
  assets.slice(1).map(({ code, issuer = '', name, anchoredTo }) => ({
    ...{ code, issuer, name: name?.trim() || code },
    anchoredTo: (anchoredTo || 'USD').toUpperCase(),
  }))

function limitsOf(given: { min?: string; max?: string } = {}, most: string): AnchorPlan['limits'] {
  const max = given.max ?? (parseAmount(given.min ?? '0') > parseAmount(most) ? ISSUED : most)
  return { min: given.min ?? (parseAmount(max) < parseAmount('1') ? max : '1'), max }
}

/** `my-anchor` → `MYANCHOR`. A subdomain always holds a letter or digit. */
const codeFrom = (subdomain: string) => subdomain.replaceAll('-', '').toUpperCase().slice(0, 12)

// Anything else than a web address never reaches a page or a discovery file.
function webAddress(text: string | undefined): string | null {
  if (!text || !URL.canParse(text)) return null
  const { protocol, href } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= 500 ? href : null
}
