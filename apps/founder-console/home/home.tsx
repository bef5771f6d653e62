import { stages as stageTexts } from '@windlass/ui/console/stage-texts.ts'
import { stageNames } from '@windlass/contracts/platform/provisioning.ts'
import { Icon } from '@windlass/ui/icons.tsx'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { LiveAnchor } from './live-anchor.tsx'
import { home as texts } from './texts.ts'

export function Component() {
  useEffect(() => {
    document.title = `${texts.title} · ${shell.product}`
  }, [])
  return (
    <>
      <section className="bg-deep text-on-deep">
        <div className="mx-auto grid max-w-[1120px] gap-12 px-4 py-14 sm:px-6 sm:py-20 lg:grid-cols-[minmax(0,1fr)_minmax(0,27rem)] lg:gap-16">
          <div className="lg:pt-10">
            <h1 className="text-[2.5rem] leading-[1.08] font-semibold tracking-[-0.028em] sm:text-[3.5rem]">
              {texts.title}
            </h1>
            <p className="mt-5 max-w-[46ch] text-18 text-on-deep-soft">{texts.lead}</p>
            <div className="mt-8 flex flex-wrap gap-3">
              <Link
                to={paths.apply()}
                className="control inline-flex items-center gap-2 rounded-8 bg-on-deep px-5 py-2.5 text-15 font-semibold text-[oklch(0.25_0.05_226)] transition-colors duration-100 hover:bg-on-deep-accent focus-visible:outline-on-deep-accent"
              >
                {texts.apply}
                <Icon name="arrow" />
              </Link>
              <Link
                to={paths.redeem()}
                className="control inline-flex items-center rounded-8 border border-on-deep-soft px-5 py-2.5 text-15 font-medium text-on-deep transition-colors duration-100 hover:bg-deep-line focus-visible:outline-on-deep-accent"
              >
                {texts.redeem}
              </Link>
            </div>
            <LiveAnchor />
          </div>
          <Chain />
        </div>
      </section>
      <section className="mx-auto w-full max-w-[1120px] px-4 py-14 sm:px-6 sm:py-16" aria-labelledby="how">
        <h2 id="how" className="text-22 font-semibold tracking-[-0.011em]">
          {texts.stepsTitle}
        </h2>
        <ol className="mt-6 grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-4">
          {texts.steps.map(step => (
            <li key={step.title} className="border-t-2 border-accent pt-3">
              <h3 className="font-semibold">{step.title}</h3>
              <p className="mt-1 text-14 text-soft">{step.detail}</p>
            </li>
          ))}
        </ol>
      </section>
      <section className="mx-auto w-full max-w-[1120px] px-4 pb-14 sm:px-6 sm:pb-16" aria-labelledby="doors">
        <h2 id="doors" className="text-22 font-semibold tracking-[-0.011em]">
          {texts.doors.title}
        </h2>
        <p className="mt-2 max-w-[62ch] text-15 text-soft">{texts.doors.anchor}</p>
        <ul className="mt-6 grid gap-4 sm:grid-cols-3">
          {doors.map(({ title, detail, to, label }) => (
            <li key={title} className="flex flex-col rounded-8 border border-line bg-surface p-4 sm:p-5">
              <h3 className="font-semibold">{title}</h3>
              <p className="mt-1 mb-3 flex-1 text-14 text-soft">{detail}</p>
              <p className="flex flex-wrap gap-x-4 gap-y-1 text-14">
                {to.map((address, index) => (
                  <a key={address} href={address} className="link">
                    {label[index]}
                  </a>
                ))}
              </p>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** Where others than founders begin. Documentation is served by the services behind this console. */
const doors = [
  {
    ...texts.doors.wallets,
    to: ['/aggregator/docs/guides/wallet-developers', '/aggregator/docs', '/aggregator/docs/guides/'],
    label: [texts.doors.guide, texts.doors.reference, texts.doors.guides],
  },
  {
    ...texts.doors.founders,
    to: ['/aggregator/docs/guides/founders', '/aggregator/docs/guides/rails', paths.signIn()],
    label: [texts.doors.guide, texts.doors.rails, texts.doors.signIn],
  },
  {
    ...texts.doors.customers,
    to: [paths.anchors(), '/aggregator/docs/guides/customers'],
    label: [texts.doors.directory, texts.doors.guide],
  },
]

/** The stages of provisioning. */
function Chain() {
  return (
    <section aria-labelledby="stages">
      <h2 id="stages" className="text-14 font-medium text-on-deep-soft">
        {texts.stagesTitle}
      </h2>
      <ol className="mt-4">
        {stageNames.map((name, index) => (
          <li key={name} className="relative flex gap-4 pb-5 last:pb-0">
            {index < stageNames.length - 1 && (
              <span aria-hidden="true" className="absolute top-7.5 bottom-1 left-[11px] w-0.5 bg-deep-line" />
            )}
            {name === 'completed' ? (
              <Icon name="anchor" className="mt-0.5 size-6 text-on-deep-accent" />
            ) : (
              <span
                aria-hidden="true"
                className="mt-0.5 size-6 shrink-0 rounded-full border-[3px] border-on-deep-accent"
              />
            )}
            <div className="min-w-0">
              <p className="text-15 font-medium">{stageTexts[name]}</p>
              <p className="text-14 text-on-deep-soft">{texts.stages[name]}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
