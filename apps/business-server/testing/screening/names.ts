import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'

/** A name, and whether it is one of the list's. */
export interface Question {
  listed: string
  asked: string
  right: 'hit' | 'none'
  /** What makes it hard. */
  kind: string
}

/** Questions that others asked, and those that the matcher was not made with. */
export const readQuestions = (file: 'questions.csv' | 'held-out.csv'): Question[] =>
  (parse(readFileSync(new URL(file, import.meta.url), 'utf8'), { from_line: 2 }) as string[][]).map(
    ([listed = '', asked = '', right, kind = '']) => ({
      ...{ listed, asked, kind },
      right: right === 'hit' ? 'hit' : 'none',
    }),
  )

/** Ordinary given and family names of some regions. */
const ORDINARY = [
  [
    'James Mary Robert Linda Susan Kevin Laura Brian',
    'Johnson Brown Taylor Walker Harris Clarke Turner Cooper',
  ],
  [
    'Hans Petra Jürgen Sabine Uwe Monika Ralf Birgit',
    'Müller Schneider Fischer Weber Becker Hoffmann Schäfer Krüger',
  ],
  ['Pierre Sophie Luc Camille Thierry Chloé', 'Dubois Lefebvre Moreau Girard Rousseau Fournier'],
  ['Carmen Pablo Lucía Javier Rosa Miguel', 'Romero Navarro Delgado Ortega Castillo Vargas'],
  ['Giulia Marco Chiara Luca Paola', 'Ricci Marino Greco Conti Ferrari'],
  ['Иван Ольга Светлана Борис Ирина', 'Смирнов Кузнецов Соколова Лебедев Новикова'],
  ['Kateryna Taras Oksana Bohdan', 'Shevchuk Bondar Kravets Melnyk'],
  ['Ayşe Emre Zeynep Burak Elif', 'Yılmaz Kaya Demir Çelik Aydın'],
  ['فاطمة عمر ليلى كريم هدى', 'المصري الخطيب منصور الحداد نجار'],
  ['Fatima Karim Layla Bilal Amina', 'Haddad Benali Mansour Khoury Idrissi'],
  ['Asha Ravi Priya Sanjay Deepa', 'Rao Patel Iyer Gupta Reddy'],
  ['Ahmed Ayesha Imran Sana', 'Malik Qureshi Chaudhry Siddiqui'],
  ['민수 지영 현우 서연', '김 이 박 최'],
  ['伟 芳 娜 强', '王 李 张 刘'],
  ['Nguyễn Trần Lê Phạm', 'Hương Dũng Minh Thảo'],
  ['Chinedu Ngozi Emeka Amaka', 'Okafor Eze Nwosu Obi'],
] as const

export const ordinaryNames = (): string[] =>
  ORDINARY.flatMap(([given, family]) =>
    given.split(' ').flatMap(one => family.split(' ').map(other => `${one} ${other}`)),
  )

const SYLLABLES = 'ba do ka li mo nu ra sha te va zi gor len min pel qas rud sul tar yan'.split(' ')

/** So many names that nobody has, for a list as long as those of authorities: two or three words, the first ones repeated. */
export function inventedNames(count: number): string[] {
  let seed = 1
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const word = (syllables: number) =>
    Array.from({ length: syllables }, () => SYLLABLES[next(SYLLABLES.length)]).join('')
  const common = Array.from({ length: 400 }, () => word(2))
  return Array.from({ length: count }, () => {
    const first = common[next(common.length)]
    return next(2) === 0 ? `${first} ${word(3)}` : `${first} ${common[next(common.length)]} ${word(3)}`
  })
}
