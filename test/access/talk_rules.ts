import { threadKey } from '#src/domain/tracking/discussions/key.ts';
import type { World } from '../support/world.ts';
import type { Given, Rule, Stage } from './matrix.ts';

/** A record that is talked about: its path below the project, and what makes one and tells its parameters and ID. */
export interface Talked {
  path: string;
  type: 'Issue' | 'MergeRequest' | 'Snippet';
  make: (at: Stage) => Promise<{ given: Given; id: number }>;
  /** Who reads it. */
  reading: Pick<Rule, 'level' | 'open' | 'refusal' | 'inPrivate'>;
}

/** behaviour.md 6, of notes and awards, each by somebody who has no role. */
export function talkRules(
  world: World,
  author: () => Promise<{ id: number }>,
  { path, type, make, reading }: Talked,
): Record<string, Rule> {
  type Made = Awaited<ReturnType<Talked['make']>>;
  const record = async (at: Stage) => (await make(at)).given;
  const noted = async (at: Stage): Promise<Made> => {
    const { given, id: subjectId } = await make(at);
    const data = { subjectType: type, subjectId, authorId: (await author()).id, body: 'said' };
    const { id } = await world.db.note.create({ data });
    return { given: { ...given, note_id: id }, id };
  };
  const note = async (at: Stage) => (await noted(at)).given;
  const awarded = (subjectType: string, subject: typeof noted) => async (at: Stage) => {
    const { given, id: subjectId } = await subject(at);
    const data = { subjectType, subjectId, userId: (await author()).id, name: 'heart' };
    return { ...given, award_id: (await world.db.awardEmoji.create({ data })).id };
  };
  const withText = (of: typeof note) => async (at: Stage) => ({ ...(await of(at)), body: 'words' });
  const withName = (of: typeof note) => async (at: Stage) => ({ ...(await of(at)), name: 'tada' });
  const on = `/projects/:id/${path}`;
  const { inPrivate } = reading;
  const change = { level: 40, ...(inPrivate && { inPrivate }) };
  const rules: Record<string, Rule> = {
    [`GET ${on}/notes`]: { ...reading, success: 200, given: record },
    [`GET ${on}/notes/:note_id`]: { ...reading, success: 200, given: note },
    [`POST ${on}/notes`]: { ...reading, success: 201, given: withText(record) },
    [`PUT ${on}/notes/:note_id`]: { ...change, success: 200, given: withText(note) },
    [`DELETE ${on}/notes/:note_id`]: { ...change, success: 204, given: note },
  };
  const threaded = async (at: Stage) => {
    const { given, id } = await noted(at);
    return { ...given, discussion_id: threadKey('Discussion', id) };
  };
  Object.assign(rules, {
    [`GET ${on}/discussions`]: { ...reading, success: 200, given: record },
    [`POST ${on}/discussions`]: { ...reading, success: 201, given: withText(record) },
    [`GET ${on}/discussions/:discussion_id`]: { ...reading, success: 200, given: threaded },
    [`GET ${on}/discussions/:discussion_id/notes`]: { ...reading, success: 200, given: threaded },
    [`POST ${on}/discussions/:discussion_id/notes`]: { ...reading, success: 201, given: withText(threaded) },
    [`GET ${on}/discussions/:discussion_id/notes/:note_id`]: { ...reading, success: 200, given: threaded },
    [`PUT ${on}/discussions/:discussion_id/notes/:note_id`]: { ...change, success: 200, given: withText(threaded) },
    [`DELETE ${on}/discussions/:discussion_id/notes/:note_id`]: { ...change, success: 204, given: threaded },
  });
  for (const [below, given, award] of [
    [on, record, awarded(type, make)],
    [`${on}/notes/:note_id`, note, awarded('Note', noted)],
  ] as const) {
    rules[`GET ${below}/award_emoji`] = { ...reading, success: 200, given };
    rules[`GET ${below}/award_emoji/:award_id`] = { ...reading, success: 200, given: award };
    rules[`POST ${below}/award_emoji`] = { ...reading, success: 201, given: withName(given) };
    rules[`DELETE ${below}/award_emoji/:award_id`] = {
      ...(inPrivate && { inPrivate }),
      success: 204,
      level: 100,
      refusal: 401,
      given: award,
    };
  }
  return rules;
}
