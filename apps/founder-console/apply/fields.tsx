import { pegsOf, railsIn } from '@windlass/contracts/platform/anchor-rails.ts'
import { railNames, settlements } from '@windlass/contracts/platform/application-fields.ts'
import { type Choice, ChoicesField, PickField, SelectField } from '@windlass/ui/choices.tsx'
import { AmountField } from '@windlass/ui/amount-field.tsx'
import { TextField } from '@windlass/ui/field.tsx'
import type { FormValues } from '@windlass/ui/form.tsx'
import { formatAmount, formatCountry, formatCurrency } from '@windlass/ui/formats.ts'
import { apply as texts, type FieldName } from './texts.ts'
import { feeOf, isAmount, isPercentage, PERCENT_DECIMALS } from './amounts.ts'
import { railProviders } from '@windlass/contracts/platform/rail-credentials.ts'
import {
  chooseCountry,
  credentialsOf,
  furtherField,
  furtherPlaces,
  isFurtherGiven,
  isXlm,
  loadAccountChecks,
  providerField,
  providerOf,
  providersOf,
  type Answers,
  unitOf,
} from './answers.ts'
import { Button } from '@windlass/ui/button.tsx'
import { lazy, Suspense, useEffect, useState } from 'react'

/** Name, label and hint of a field, from the catalogue. */
const named = (name: FieldName) => ({ name, label: texts.fields[name].label, hint: texts.fields[name].hint })

const pair = 'grid gap-x-4 gap-y-6 sm:grid-cols-2'

export function CompanyFields({ answers }: { answers: Answers }) {
  const country = answers['companyProfile.country']
  return (
    <>
      <SelectField
        {...named('companyProfile.country')}
        choices={countries}
        onChoose={chosen => chooseCountry(answers, chosen) as FormValues}
      />
      {country !== '' && railsIn(country).length === 0 && (
        <Suspense fallback={null}>
          <NoRail country={formatCountry(country)} />
        </Suspense>
      )}
      <TextField {...named('companyProfile.name')} autoComplete="organization" />
      <TextField
        {...named('companyProfile.businessEmail')}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      <TextField {...named('companyProfile.contactName')} optional autoComplete="name" />
      <TextField {...named('companyProfile.registrationNumber')} optional autoComplete="off" />
      <TextField
        {...named('companyProfile.website')}
        optional
        type="text"
        inputMode="url"
        autoComplete="url"
      />
    </>
  )
}

const upperCase = (text: string) => text.toUpperCase().replace(/\s/g, '')

const typed = { autoComplete: 'off', spellCheck: false, optional: true, className: 'font-mono' } as const
const code = { ...typed, clean: upperCase }

export function AssetFields({ answers }: { answers: Answers }) {
  const currency = answers['stellarConfig.anchoredTo']
  const exists = answers['asset.kind'] === 'existing'
  return (
    <>
      <ChoicesField {...named('asset.kind')} single choices={kinds} />
      {exists && (
        <Suspense fallback={null}>
          <KnownAssets />
        </Suspense>
      )}
      <div className={`${pair} sm:items-end`}>
        <TextField {...named('stellarConfig.assetCode')} {...code} optional={!exists} />
        {!isXlm(answers) && <SelectField {...named('stellarConfig.anchoredTo')} required choices={pegs} />}
      </div>
      {exists && !isXlm(answers) && (
        <TextField {...named('stellarConfig.assets.0.issuer')} {...code} optional={false} />
      )}
      <TextField
        {...named('stellarConfig.assetName')}
        optional
        placeholder={isXlm(answers) ? 'Lumen' : `Acme ${formatCurrency(currency)}`}
      />
      <Further answers={answers} />
    </>
  )
}

// Loaded when they are wanted: most founders issue an asset of their own, over a rail of their country.
const KnownAssets = lazy(() => import('./known-assets.tsx'))
const NoRail = lazy(() => import('./no-rail.tsx'))

const FurtherAssets = lazy(() => import('./further-assets.tsx'))

/** Most anchors serve one asset: the others' fields are loaded when someone wants them. */
function Further({ answers }: { answers: Answers }) {
  const [isOpen, setOpen] = useState(false)
  const given = furtherPlaces.findLast(place => isFurtherGiven(answers, place)) ?? 0
  const add = texts.addAsset
  if (!isOpen && given === 0) return <Button onClick={() => setOpen(true)}>{add}</Button>
  return (
    <Suspense fallback={null}>
      <FurtherAssets
        {...{ places: furtherPlaces, given, named: furtherField, pegs, clean: upperCase, add }}
      />
    </Suspense>
  )
}

const EXAMPLE = '1000'

export function RailsFields({ answers }: { answers: Answers }) {
  const fixed = answers['paymentRails.fee.fixed'] || '0'
  const percent = answers['paymentRails.fee.percentage'] || '0'
  const unit = unitOf(answers)
  const asksForAccounts = answers['paymentRails.rails'].some(rail =>
    credentialsOf(rail, providerOf(rail, answers)).some(({ check }) => check),
  )
  useEffect(() => {
    if (asksForAccounts) void loadAccountChecks()
  }, [asksForAccounts])
  return (
    <>
      <ChoicesField
        {...named('paymentRails.rails')}
        choices={railNames.map(rail => ({ value: rail, label: rail, hint: texts.rails[rail] }))}
      />
      <ChoicesField
        {...named('paymentRails.settlement')}
        single
        choices={settlements.map(value => ({ value, ...texts.settlements[value] }))}
      />
      <div className="space-y-3">
        <div className={pair}>
          <AmountField {...named('paymentRails.fee.fixed')} optional unit={unit} />
          <AmountField
            {...named('paymentRails.fee.percentage')}
            optional
            unit="%"
            decimals={PERCENT_DECIMALS}
          />
        </div>
        <p className="text-13 text-soft tabular">
          {isAmount(fixed) &&
            isPercentage(percent) &&
            texts.feeExample(
              `${formatAmount(feeOf(EXAMPLE, fixed, percent))} ${unit}`,
              `${formatAmount(EXAMPLE)} ${unit}`,
            )}
        </p>
      </div>
      <div className={pair}>
        <AmountField {...named('paymentRails.limits.min')} optional unit={unit} />
        <AmountField {...named('paymentRails.limits.max')} optional unit={unit} />
      </div>
      <section className="space-y-6 rounded-8 border border-line bg-surface p-4 sm:p-5">
        <div>
          <h2 className="font-semibold">{texts.credentials.title}</h2>
          <p className="mt-1 text-14 text-soft">{texts.credentials.lead}</p>
        </div>
        {answers['paymentRails.rails'].map(rail => (
          <fieldset key={rail} className="space-y-6">
            <legend className="mb-3 text-14 font-semibold">{rail}</legend>
            {providersOf(rail).length > 1 && (
              <SelectField
                name={providerField(rail)}
                label={texts.credentials.provider}
                choices={providersOf(rail).map(value => ({ value, label: railProviders[value].label }))}
                required
              />
            )}
            {credentialsOf(rail, providerOf(rail, answers)).map(
              ({ name, label, hint, secret, maxLength }) => (
                <TextField
                  key={name}
                  {...{ name, label, hint, maxLength }}
                  {...typed}
                  type={secret ? 'password' : 'text'}
                />
              ),
            )}
          </fieldset>
        ))}
      </section>
    </>
  )
}

export function ComplianceFields() {
  return (
    <>
      <div className={pair}>
        <SelectField {...named('compliance.jurisdiction')} optional choices={countries} />
        <TextField {...named('compliance.licenseNumber')} optional autoComplete="off" />
      </div>
      <PickField {...named('compliance.regions')} choices={countries} />
    </>
  )
}

// ISO 3166-1 alpha-2, as assigned in 2024; without spaces, which every visitor would load.
const CODES =
  'ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCY' +
  'CZDEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISIT' +
  'JEJMJOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNI' +
  'NLNONPNRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTK' +
  'TLTMTNTOTRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW'

const countries: readonly Choice[] = (CODES.match(/../g) ?? [])
  .map(code => ({ value: code, label: formatCountry(code) }))
  .sort((a, b) => a.label.localeCompare(b.label))

const pegs = pegsOf(railNames)
  .filter(peg => peg !== 'USDC')
  .map(value => ({ value, label: `${value} – ${formatCurrency(value)}` }))
const kinds = (['own', 'existing'] as const).map(value => ({ value, ...texts.assetKinds[value] }))
