import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Release } from '#schema/releases/types.ts';
import { type ReleaseKey, releasesOfTags } from '#src/domain/repository/releases/list.ts';
import type { TagRow } from '#src/domain/repository/tags/list.ts';

export const Tag = builder.objectRef<TagRow>('Tag').implement({
  description: 'A tag of a repository: a permanent name for a commit.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the tag, which its name makes.',
      resolve: ({ projectId, name }) => toGlobalId('Tag', [projectId, name]),
    }),
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
    release: t.field({
      type: Release,
      nullable: true,
      description: 'Release of the tag, with its notes; null without one.',
      resolve: ({ projectId, name }, _args, context, info) => {
        const selection = selectionAt(info, 'Release');
        const load = (keys: readonly ReleaseKey[]) => releasesOfTags(context, keys, selection);
        return loaderAt(context, info, selection, load).load({ projectId, tag: name });
      },
    }),
  }),
});

export const TagConnection = connectionOf('Tag', Tag);
