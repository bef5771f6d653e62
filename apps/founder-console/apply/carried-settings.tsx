import { Button, buttonLook } from '@windlass/ui/button.tsx'
import { Fact, Facts, PageHeading } from '@windlass/ui/page.tsx'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { paths } from '../paths.ts'
import { shell } from '../texts.ts'
import { labelOf, noAnswers, type Answers } from './answers.ts'
import { CARRIED, isCarried } from './carried.ts'
import { carried as texts } from './carried-texts.ts'
import { fittingOf, readDraft, saveDraft } from './draft.ts'

/**
 * What a link from the other installation carries, before the form. It overwrites nothing until its reader says so: anyone
 * can make a link.
 */
export function Component() {
  const navigate = useNavigate()
  const [carried] = useState(takeCarried)
  const use = () => {
    saveDraft({ ...(readDraft()?.answers ?? noAnswers), ...carried } as Answers)
    void navigate(paths.apply('company'), { replace: true })
  }
  return (
    <div className="mx-auto w-full max-w-[680px] flex-1 px-4 py-8 sm:px-6 sm:py-12">
      <PageHeading
        title={texts.title(carried?.['stellarConfig.assetCode'] ?? '')}
        product={shell.product}
        lead={carried ? texts.detail : texts.none}
        className="mb-6"
      />
      {carried && (
        <Facts className="mb-6">
          {Object.entries(carried).map(
            ([name, value]) =>
              name !== 'asset.kind' && (
                <Fact key={name} name={labelOf(name)}>
                  {[value].flat().join(', ')}
                </Fact>
              ),
          )}
        </Facts>
      )}
      <div className="flex flex-wrap gap-3">
        {carried && (
          <Button look="primary" onClick={use}>
            {texts.use}
          </Button>
        )}
        <Link to={paths.apply('company')} className={buttonLook('quiet')}>
          {texts.drop}
        </Link>
      </div>
    </div>
  )
}

/** The answers that the page was opened with; undefined without any. */
function takeCarried(): Partial<Answers> | undefined {
  const text = new URLSearchParams(location.hash.slice(1)).get(CARRIED)
  if (text === null) return undefined
  try {
    const given = fittingOf(JSON.parse(text) as Record<string, unknown>)
    const changed = Object.entries(given).filter(
      ([name, value]) => isCarried(name) && String(value) !== String(noAnswers[name as keyof Answers]),
    )
    return changed.length > 0 ? (Object.fromEntries(changed) as Partial<Answers>) : undefined
  } catch {
    return undefined
  }
}
