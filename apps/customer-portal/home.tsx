import { Icon } from '@windlass/ui/icons.tsx'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { paths } from './paths.ts'
import { home as texts, shell } from './texts.ts'

export function Component() {
  useEffect(() => {
    document.title = `${texts.title} · ${shell.product}`
  }, [])
  return (
    <>
      <section className="bg-deep text-on-deep">
        <div className="mx-auto max-w-[1120px] px-4 py-16 sm:px-6 sm:py-24">
          <h1 className="max-w-[18ch] text-[2.25rem] leading-[1.1] font-semibold tracking-[-0.026em] sm:text-[3.25rem]">
            {texts.title}
          </h1>
          <p className="mt-5 max-w-[50ch] text-18 text-on-deep-soft">{texts.lead}</p>
          <Link
            to={paths.account()}
            className="control mt-8 inline-flex items-center gap-2 rounded-8 bg-on-deep px-5 py-2.5 text-15 font-semibold text-[oklch(0.25_0.05_226)] transition-colors duration-100 hover:bg-on-deep-accent focus-visible:outline-on-deep-accent"
          >
            {texts.start}
            <Icon name="arrow" />
          </Link>
        </div>
      </section>
      <ol className="mx-auto grid w-full max-w-[1120px] gap-x-8 gap-y-6 px-4 py-14 sm:grid-cols-3 sm:px-6">
        {texts.points.map(point => (
          <li key={point.title} className="border-t-2 border-accent pt-3">
            <h2 className="font-semibold">{point.title}</h2>
            <p className="mt-1 text-14 text-soft">{point.detail}</p>
          </li>
        ))}
      </ol>
    </>
  )
}
