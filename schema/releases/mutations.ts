import { builder } from '#schema/builder.ts';
import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, mutation, type Payload } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf, idsOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { Release, ReleaseLink, ReleaseLinkType } from '#schema/releases/types.ts';
import {
  createReleaseLink,
  deleteReleaseLink,
  releaseHolding,
  updateReleaseLink,
} from '#src/domain/repository/releases/links.ts';
import { findRelease, type ReleaseLinkRow } from '#src/domain/repository/releases/list.ts';
import {
  createRelease,
  deleteRelease,
  type SavedRelease,
  updateRelease,
} from '#src/domain/repository/releases/save.ts';

const which = (t: InputFields) => ({
  project: projectField(t, 'of the tag'),
  tag: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
});

const values = (t: InputFields) => ({
  name: t.string({ description: 'Name of the release; null or blank for that of its tag.' }),
  description: t.string({ description: 'The release notes, in Markdown.' }),
  milestones: t.stringList({
    description: 'Titles of the milestones of the project that it reaches, at most 100. Not with `milestoneIds`.',
  }),
  milestoneIds: t.field({
    ...idsOf('Milestone'),
    description: 'Global or numeric IDs of the milestones of the project that it reaches. Not with `milestones`.',
  }),
  releasedAt: t.field({
    type: 'DateTime',
    description: 'When it is released, in the past or the future; for a new one by default now.',
  }),
});

const path = (t: InputFields) => ({
  directAssetPath: t.string({
    description:
      'Path below the address of the release that leads to the link, unique within it: begins with a slash, ends in a letter or digit.',
  }),
  filepath: t.string({ description: 'The earlier name of `directAssetPath`, which wins over it.' }),
  linkType: t.field({ type: ReleaseLinkType, description: 'What the link leads to; `OTHER` for a new one.' }),
});

const URL = 'The address that it leads to, with http, https or ftp; unique within the release.';

const ReleaseLinkInput = builder.inputType('ReleaseLinkInput', {
  description: 'A link of a new release.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the link, unique within the release.' }),
    url: t.string({ required: true, description: URL }),
    ...path(t),
  }),
});

const ReleaseAssetsInput = builder.inputType('ReleaseAssetsInput', {
  description: 'What belongs to a new release besides its tag.',
  fields: (t) => ({
    links: t.field({ type: [ReleaseLinkInput], description: 'Links of the release, at most 200.' }),
  }),
});

const link = (t: InputFields) => ({
  project: holderField(t, 'link'),
  tag: t.string({
    description:
      'Name of the tag whose release the link must belong to, without `refs/tags/`. Any release when left out.',
  }),
  id: t.field({ ...idOf('ReleaseLink'), required: true, description: 'Global or numeric ID of the link.' }),
});

const releasePayload: Payload<SavedRelease> = changed(
  'release',
  Release,
  'Release',
  (context, { project, tag }, selection) => findRelease(context, project, tag, selection),
);

function linkPayload(description: string): Payload<{ link: ReleaseLinkRow }> {
  return {
    description,
    fields: (t) => ({
      link: t.expose('link', { type: ReleaseLink, description: 'The link of the release.' }),
    }),
  };
}

/** The path of a link under either of its names. */
function pathOf({ directAssetPath, filepath }: { directAssetPath?: string | null; filepath?: string | null }) {
  return { directAssetPath: directAssetPath === undefined ? filepath : directAssetPath };
}

mutation('createRelease', {
  description:
    'Releases a tag, which is created first from `ref` if it does not exist. For developers. CONFLICT when it has a release.',
  input: {
    description: 'A release for a tag that has none.',
    argument: 'Names the tag, and its notes.',
    fields: (t) => ({
      ...which(t),
      ref: t.string({
        description: 'What the tag points to if it does not exist yet: a branch, a tag or the hash of a commit.',
      }),
      tagMessage: t.string({
        description: 'Message of the tag if it does not exist yet, which makes it an annotated one.',
      }),
      ...values(t),
      assets: t.field({ type: ReleaseAssetsInput, description: 'What belongs to the release besides its tag.' }),
    }),
  },
  resolve: async ({ project, assets, ...given }, context) => {
    const links = assets?.links?.map(({ linkType, ...one }) => ({ ...one, ...pathOf(one), type: linkType }));
    return createRelease(context, project, { ...given, links });
  },
  payload: releasePayload,
});

mutation('updateRelease', {
  description: 'Changes the release of a tag. For developers.',
  input: {
    description: 'Changes to a release: what is left out stays as it is.',
    argument: 'Names the tag, and what changes.',
    fields: (t) => ({ ...which(t), ...values(t) }),
  },
  resolve: async ({ project, tag, ...changes }, context) => updateRelease(context, project, tag, changes),
  payload: releasePayload,
});

mutation('deleteRelease', {
  description: 'Deletes the release of a tag, which stays. For developers.',
  input: {
    description: 'The tag whose release to delete.',
    argument: 'Names the tag whose release is deleted.',
    fields: which,
  },
  resolve: async ({ project, tag }, context, info) => {
    const selection = selectionAt(info, 'Release');
    const release = await deleteRelease(context, project, tag, (of) => findRelease(context, of, tag, selection));
    return { tag, release };
  },
  payload: {
    from: fromProject,
    description: 'The release that was deleted.',
    fields: (t) => ({
      deletedReleaseTagName: t.exposeString('tag', { description: 'Name of the tag, which has no release now.' }),
      release: t.field({
        type: Release,
        description: 'The release as it was.',
        resolve: ({ release }) => release as never,
      }),
    }),
  },
});

mutation('createReleaseLink', {
  description: 'Adds a link to a release. For developers.',
  input: {
    description: 'A new link of a release.',
    argument: 'Names the release, and its new link.',
    fields: (t) => ({
      ...which(t),
      name: t.string({ required: true, description: 'Name of the link, unique within the release.' }),
      url: t.string({ required: true, description: URL }),
      ...path(t),
    }),
  },
  resolve: async ({ project, tag, linkType: type, ...given }, context) => ({
    link: await createReleaseLink(context, { project, tag }, { ...given, ...pathOf(given), type }),
  }),
  payload: linkPayload('The link that was added.'),
});

mutation('updateReleaseLink', {
  description: 'Changes a link of a release. For developers.',
  input: {
    description: 'Changes to a link of a release: what is left out stays as it is.',
    argument: 'Names the link, and what changes.',
    fields: (t) => ({
      ...link(t),
      name: t.string({ description: 'Name of the link, unique within the release.' }),
      url: t.string({ description: URL }),
      ...path(t),
    }),
  },
  resolve: async ({ project, tag, id, linkType: type, ...given }, context) => ({
    link: await updateReleaseLink(context, await releaseHolding(context, { project, tag, id }), id, {
      ...given,
      ...pathOf(given),
      type,
    }),
  }),
  payload: linkPayload('The link after the mutation.'),
});

mutation('deleteReleaseLink', {
  description: 'Removes a link of a release. For developers.',
  input: { description: 'Which link of a release to delete.', argument: 'Names the link to remove.', fields: link },
  resolve: async (input, context) => {
    const release = await releaseHolding(context, input);
    return { link: await deleteReleaseLink(context, release, input.id), project: release.project };
  },
  payload: {
    from: fromProject,
    description: 'The link that was deleted.',
    fields: (t) => ({
      deletedReleaseLinkId: t.id({
        description: 'Global ID of the link that was deleted.',
        resolve: ({ link }) => toGlobalId('ReleaseLink', link.id),
      }),
      link: t.expose('link', { type: ReleaseLink, description: 'The link as it was.' }),
    }),
  },
});
