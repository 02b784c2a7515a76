import { afterAll, describe, expect, it } from 'vitest';
import { asDraft, asReady, isDraft, isDraftSql, toggleDraft } from '#src/domain/tracking/subjects/draft.ts';
import { connect } from '#src/platform/database/db.ts';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { freshDatabase } from '../support/database.ts';

const db = connect(await freshDatabase());
afterAll(() => db.$disconnect());

const DRAFTS = [
  'Draft: Add it',
  'draft:Add it',
  'DRAFT: Add it',
  '[Draft] Add it',
  '[draft]Add it',
  '(Draft) Add it',
  '(dRaFt)Add it',
  'WIP: Add it',
  'wip:Add it',
  '[WIP] Add it',
  '[wip]Add it',
  'WIP Add it',
  'wip\tAdd it',
  '  \t Draft: Add it',
  'Draft: WIP: [draft] (Draft) Add it',
];

const BARE = ['Draft:', 'WIP', ' wip ', '[Draft]', 'WIP: Draft:'];

const READY = [
  'Add it',
  '',
  'Draft',
  'Draft Add it',
  'Draft - Add it',
  'Drafts: Add it',
  'Drafting',
  'WIPe it',
  'WIP-free',
  '(WIP) Add it',
  'Add Draft: it',
  'Add it [WIP]',
  'Add it\nWIP',
  'Add it\nDraft: more',
  // Unicode knows these as i, or as the letter s of other alphabets, in another case.
  'W\u0130P: Add it',
  'w\u0131p: Add it',
  '\u00a0Draft: Add it',
];

describe('The title of a draft', () => {
  it('begins with one of the marks, in any case', () => {
    expect([...DRAFTS, ...BARE].filter((title) => !isDraft(title))).toEqual([]);
    expect(READY.filter(isDraft)).toEqual([]);
  });

  it('is one to the database, too', async () => {
    const titles = [...DRAFTS, ...BARE, ...READY];
    const found = await db.$queryRaw<{ title: string }[]>`
      SELECT title FROM unnest(${titles}::text[]) WITH ORDINALITY t(title, place)
      WHERE ${isDraftSql(Prisma.sql`title`)} ORDER BY place`;
    expect(found.map(({ title }) => title)).toEqual([...DRAFTS, ...BARE]);
  });

  it('loses all of its marks when the merge request is ready', () => {
    expect(DRAFTS.map(asReady)).toEqual(DRAFTS.map(() => 'Add it'));
    expect(READY.map(asReady)).toEqual(READY);
  });

  it('is never left empty', () => {
    expect(BARE.map(asReady)).toEqual(BARE);
  });

  it('gets a mark once', () => {
    expect(['Add it', 'WIP: Add it', 'Draft Add it'].map(asDraft)).toEqual([
      'Draft: Add it',
      'WIP: Add it',
      'Draft: Draft Add it',
    ]);
    expect(['Add it', 'WIP: Add it'].map(toggleDraft)).toEqual(['Draft: Add it', 'Add it']);
  });
});
