import { globSync, readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { SENTENCES } from '#pages/engine/refusals.ts';
import { LANGUAGES, type Language, readCatalogue, withoutContext } from '#src/platform/texts/texts.ts';
import { programs, templates, textsOutside, textsOutsideProgram, textsUsed } from '../../scripts/page_texts.ts';
import { LONG } from '../support/long.ts';

/** Names of the places and tags of a message. */
function placesOf(message: string, language: Language): string[] {
  const found = new Set<string>();
  const visit = (elements: readonly unknown[]) => {
    for (const element of elements as {
      type: number;
      value: string;
      options?: Record<string, { value: unknown[] }>;
      children?: unknown[];
    }[]) {
      // 0 is text, 7 the number of a plural.
      if (element.type !== 0 && element.type !== 7) found.add(`${element.type === 8 ? '/' : ''}${element.value}`);
      for (const { value } of Object.values(element.options ?? {})) visit(value);
      visit(element.children ?? []);
    }
  };
  visit(new IntlMessageFormat(message, language).getAst());
  return [...found].sort();
}

describe('Texts of pages and mails', () => {
  const used = textsUsed();

  it.each(LANGUAGES.filter((language) => language !== 'en'))('are all there in %s, and nothing else', (language) => {
    const catalogue = readCatalogue(language);
    expect(Object.keys(catalogue)).toEqual(used);
    expect(used.filter((source) => !catalogue[source])).toEqual([]);
    const differing = used.filter(
      (source) => `${placesOf(withoutContext(source), 'en')}` !== `${placesOf(catalogue[source] ?? '', language)}`,
    );
    expect(differing).toEqual([]);
  });

  it('can stand in HTML as they are', () => {
    const all = [...used, ...Object.values(readCatalogue('de'))];
    expect(all.filter((text) => /&|<(?!\/?[a-z]\w*\/?>)/.test(text))).toEqual([]);
  });

  it('have the sentences of refusals as the domain says them', LONG, () => {
    const sources = globSync('{src,schema,pages}/**/*.ts', {
      exclude: ['src/generated/**', 'pages/engine/refusals.ts'],
    });
    const said = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
    const asWritten = (sentence: string) =>
      sentence.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()[\]\\|/]/g, '\\$&'));
    const unsaid = SENTENCES.filter(
      (sentence) => !new RegExp(asWritten(sentence).join('(?:\\$\\{[^}]+\\}|[\\d_,]+)')).test(said),
    );
    expect(unsaid).toEqual([]);
  });

  it('stand in no program of pages', LONG, () => {
    expect(programs().flatMap((file) => textsOutsideProgram(file).map((text) => [file, text]))).toEqual([]);
  });

  it('stand in no template', LONG, () => {
    expect(templates().flatMap((template) => textsOutside(template).map((text) => [template, text]))).toEqual([]);
  });
});
