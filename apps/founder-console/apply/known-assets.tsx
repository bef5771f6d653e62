import { Button } from '@windlass/ui/button.tsx'
import { useFormField } from '@windlass/ui/form.tsx'
import { proposals as texts } from './proposal-texts.ts'

/** Assets that many wallets hold, with their issuers (Circle) on either network of Stellar. */
const knownAssets = [
  {
    code: 'USDC',
    peg: 'USD',
    network: 'testnet',
    issuer: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5',
  },
  {
    code: 'EURC',
    peg: 'EUR',
    network: 'testnet',
    issuer: 'GB3Q6QDZYTHWT7E5PVS3W7FUT5GVAFC5KSZFFLPU25GO7VTC3NM2ZTVO',
  },
  {
    code: 'USDC',
    peg: 'USD',
    network: 'public',
    issuer: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  },
  {
    code: 'EURC',
    peg: 'EUR',
    network: 'public',
    issuer: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
  },
] as const

/** Fills in an asset that everyone knows. */
export default function KnownAssets() {
  const { assign } = useFormField('stellarConfig.assetCode')
  return (
    <div className="flex flex-wrap items-center gap-2 text-14">
      {texts.fill}
      {knownAssets.map(({ code: name, peg, network, issuer }) => (
        <Button
          key={issuer}
          onClick={() =>
            assign({
              'stellarConfig.assetCode': name,
              'stellarConfig.anchoredTo': peg,
              'stellarConfig.assets.0.issuer': issuer,
            })
          }
        >
          {`${name} · ${texts.networks[network]}`}
        </Button>
      ))}
      <Button
        onClick={() => assign({ 'stellarConfig.assetCode': 'XLM', 'stellarConfig.assets.0.issuer': '' })}
      >
        XLM
      </Button>
    </div>
  )
}
