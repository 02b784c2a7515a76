import type { GraphQLContext } from '#schema/context.ts';
import { holderField, type InputFields } from '#schema/inputs.ts';
import { deleted, mutation } from '#schema/mutation.ts';
import { toGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import {
  deleteContainerRepository,
  deleteContainerTag,
  deleteContainerTags,
} from '#src/domain/container_registry/remove.ts';
import type { IdOrPath } from '#src/domain/groups/find.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';

const ofRepository = (t: InputFields) => ({
  project: holderField(t, 'repository'),
  repositoryId: t.field({
    ...idOf('ContainerRepository'),
    required: true,
    description: 'Global or numeric ID of the repository that has the tags.',
  }),
});

/** The project of a repository of images that an input names. */
function holding(
  context: GraphQLContext,
  { project, repositoryId: id }: { project?: IdOrPath | null; repositoryId: number },
): Promise<IdOrPath> {
  return projectHolding(context, 'ContainerRepository', { id, project });
}

mutation('deleteContainerRepository', {
  description: 'Deletes a repository of images with all its tags. For masters.',
  input: {
    description: 'Which repository of images to delete.',
    argument: 'Names the repository to delete.',
    fields: (t) => ({
      project: holderField(t, 'repository'),
      id: t.field({
        ...idOf('ContainerRepository'),
        required: true,
        description: 'Global or numeric ID of the repository.',
      }),
    }),
  },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'ContainerRepository', input);
    return { id: await deleteContainerRepository(context, project, input.id), project };
  },
  payload: { ...deleted('ContainerRepository', 'repository'), from: fromProject },
});

mutation('deleteContainerTag', {
  description: 'Deletes a tag of a repository of images; the image stays for a day. For masters.',
  input: {
    description: 'Which tag of a repository of images to delete.',
    argument: 'Names the tag to delete.',
    fields: (t) => ({
      ...ofRepository(t),
      name: t.string({ required: true, description: 'Name of the tag, such as `latest`.' }),
    }),
  },
  resolve: async (tag, context) => {
    const project = await holding(context, tag);
    await deleteContainerTag(context, project, tag);
    return { ...tag, project };
  },
  payload: {
    from: fromProject,
    description: 'The tag that was deleted.',
    fields: (t) => ({
      deletedContainerTagName: t.exposeString('name', { description: 'Name of the tag that was deleted.' }),
    }),
  },
});

mutation('deleteContainerTags', {
  description: 'Deletes many tags of a repository of images in the background, once an hour. For masters.',
  input: {
    description: 'Which tags of a repository of images to delete; `latest` always stays.',
    argument: 'Says which tags to delete.',
    fields: (t) => ({
      ...ofRepository(t),
      nameRegexDelete: t.string({
        required: true,
        description: 'A regular expression that matches the whole names of the tags; `.*` for all.',
      }),
      nameRegexKeep: t.string({
        description: 'A regular expression for the whole names of tags that stay in any case.',
      }),
      keepN: t.int({
        description: 'How many of the tags that match stay, the latest pushed ones; none when left out.',
      }),
      olderThan: t.string({
        description: 'How long ago the tags must have been pushed, such as `1h`, `7d` or `1month`.',
      }),
    }),
  },
  resolve: async ({ project, repositoryId, ...filter }, context) => {
    await deleteContainerTags(context, await holding(context, { project, repositoryId }), repositoryId, filter);
    return { repositoryId };
  },
  payload: {
    description: 'The repository of which tags are being deleted.',
    fields: (t) => ({
      containerRepositoryId: t.id({
        description: 'Global ID of the repository that loses tags.',
        resolve: ({ repositoryId }) => toGlobalId('ContainerRepository', repositoryId),
      }),
    }),
  },
});
