import { constant, name, object } from '#compat/engine/entries.ts';
import { mutation } from '#compat/engine/mutation.ts';
import type { Entries, Given } from '#compat/engine/table.ts';
import { coreId, key, set } from '#compat/tables/mutations/look_up.ts';

/** A note on a line, which the core graph has without `paths`. */
function positionOf({ paths, baseSha, headSha, startSha, newLine, oldLine }: Given) {
  const { newPath, oldPath } = paths;
  return set({ baseSha, headSha, startSha, newLine, oldLine, newPath, oldPath });
}

const awarded = (input: Given) => ({ name: input.name, on: { id: coreId(input.awardableId) } });

/** Notes, threads and awards. */
export const noteMutations: Entries = {
  createNote: mutation({
    core: 'createNote',
    input: ({ noteableId, body, discussionId, internal, confidential }) => ({
      on: { id: coreId(noteableId) },
      body,
      internal: internal ?? confidential ?? false,
      ...(discussionId && { discussionId: discussionId.key }),
    }),
    payload: { note: object('note', 'Note') },
  }),
  createDiffNote: mutation({
    core: 'createNote',
    input: ({ noteableId, body, position }) => ({
      on: { id: coreId(noteableId) },
      body,
      position: positionOf(position),
    }),
    payload: { note: object('note', 'Note') },
  }),
  updateNote: mutation({
    core: 'updateNote',
    input: ({ id, body }) => set({ id: id.key, body: body ?? undefined }),
    payload: {},
  }),
  destroyNote: mutation({ core: 'deleteNote', input: ({ id }) => ({ id: id.key }), payload: {} }),
  discussionToggleResolve: mutation({
    core: 'resolveDiscussion',
    input: ({ id, resolve }) => ({ id: key(id), resolved: resolve }),
    payload: { discussion: object('discussion', 'Discussion') },
  }),
  awardEmojiAdd: mutation({
    core: 'giveAward',
    input: awarded,
    payload: { awardEmoji: object('award', 'AwardEmoji') },
  }),
  awardEmojiRemove: mutation({ core: 'takeAwardBack', input: awarded, payload: { awardEmoji: constant(null) } }),
  awardEmojiToggle: mutation({
    core: 'toggleAward',
    input: awarded,
    payload: { awardEmoji: object('award', 'AwardEmoji'), toggledOn: name('toggledOn') },
  }),
};
