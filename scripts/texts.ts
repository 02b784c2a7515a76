import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { LANGUAGES, readCatalogue } from '#src/platform/texts/texts.ts';
import { textsUsed } from './page_texts.ts';

/** Brings the catalogues in pages/texts/ up to the sources: adds what is new, untranslated, and removes what is used no more. */
const used = textsUsed();
for (const language of LANGUAGES) {
  if (language === 'en') continue;
  const known = readCatalogue(language);
  const kept = Object.fromEntries(used.map((source) => [source, known[source] ?? '']));
  writeFileSync(
    path.join(import.meta.dirname, `../pages/texts/${language}.json`),
    `${JSON.stringify(kept, null, 2)}\n`,
  );
  const missing = used.filter((source) => !kept[source]);
  console.log(`${language}: ${used.length} texts, ${missing.length} to translate`);
  for (const source of missing) console.log(`  ${source}`);
}
