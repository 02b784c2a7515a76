import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import type { ReleaseRow, TagRow } from '#src/tags/list.ts';

export const Release = builder.objectRef<ReleaseRow>('Release').implement({
  description: 'Notes about a tag.',
  fields: (t) => ({
    tagName: t.exposeString('tag', { description: 'Name of the tag.' }),
    description: t.exposeString('description', { description: 'The notes, in Markdown.' }),
  }),
});

export const Tag = builder.objectRef<TagRow>('Tag').implement({
  description: 'A lasting name for a commit.',
  fields: (t) => ({
    name: t.string({ description: 'Without `refs/tags/`.', resolve: ({ name }) => name.toWellFormed() }),
    message: t.string({
      nullable: true,
      description: 'Its annotation; null for a lightweight tag.',
      resolve: ({ message }) => message?.toWellFormed() ?? null,
    }),
    commit: t.expose('commit', {
      type: Commit,
      nullable: true,
      description: 'What it names; null where that is no commit.',
    }),
    release: t.expose('release', { type: Release, nullable: true, description: 'Notes about it.' }),
  }),
});

export const TagConnection = connectionOf('Tag', Tag);
