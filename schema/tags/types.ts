import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import type { ReleaseRow, TagRow } from '#src/domain/repository/tags/list.ts';

export const Release = builder.objectRef<ReleaseRow>('Release').implement({
  description: 'Release notes that belong to a tag.',
  fields: (t) => ({
    tagName: t.exposeString('tag', { description: 'Name of the tag that was released.' }),
    description: t.exposeString('description', { description: 'The release notes, in Markdown.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the tag got release notes.' }),
  }),
});

export const Tag = builder.objectRef<TagRow>('Tag').implement({
  description: 'A tag of a repository: a permanent name for a commit.',
  fields: (t) => ({
    name: t.string({
      description: 'Name of the tag, without `refs/tags/`.',
      resolve: ({ name }) => name.toWellFormed(),
    }),
    message: t.string({
      nullable: true,
      description: 'Message of an annotated tag; null for a lightweight one.',
      resolve: ({ message }) => message?.toWellFormed() ?? null,
    }),
    target: t.exposeString('target', {
      description: 'Hash of what the tag points to: of its annotation, or of the commit of a lightweight tag.',
    }),
    protected: t.exposeBoolean('protected', {
      description: 'Whether a rule says who may create the tag, which nobody changes then.',
    }),
    createdAt: t.field({
      type: 'CommitDateTime',
      nullable: true,
      description: 'When an annotated tag was made, as recorded in it; null for a lightweight one.',
      resolve: ({ tagger }) => tagger,
    }),
    commit: t.expose('commit', {
      type: Commit,
      nullable: true,
      description: 'The commit that the tag points to; null if it points to something else.',
    }),
    release: t.expose('release', {
      type: Release,
      nullable: true,
      description: 'Release notes of the tag; null without any.',
    }),
  }),
});

export const TagConnection = connectionOf('Tag', Tag);
