import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { deleted, mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { PackageFile, PackageStatus } from '#schema/packages/types.ts';
import { fromProject } from '#schema/places/parents.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { publishedFile } from '#src/domain/packages/list.ts';
import {
  deleteNpmDistTag,
  deprecateNpmVersions,
  type NpmPublication,
  publishNpmPackage,
  setNpmDistTag,
} from '#src/domain/packages/npm.ts';
import { publishFile } from '#src/domain/packages/publish.ts';
import { deletePackage, deletePackageFile } from '#src/domain/packages/remove.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';

const npmTag = (t: InputFields) => ({
  project: projectField(t, 'of the package'),
  packageName: t.string({ required: true, description: 'Name of the package, with its scope.' }),
  tag: t.string({ required: true, description: 'Name of the tag, such as `latest`.' }),
});

mutation('publishNpmPackage', {
  description:
    'Publishes a version of an npm package. For developers. A version that exists cannot be published again.',
  input: {
    description: 'A version of an npm package with its archive, as `npm publish` sends it.',
    argument: 'The version, and its archive.',
    fields: (t) => ({
      project: projectField(t, 'that publishes the package'),
      packageName: t.string({ required: true, description: 'Name of the package, with its scope.' }),
      versions: t.field({ type: 'JSON', required: true, description: 'One manifest, by its version.' }),
      distTags: t.field({ type: 'JSON', required: true, description: 'The version, by the tags that lead to it.' }),
      attachments: t.field({
        type: 'JSON',
        required: true,
        description: 'One archive by its file name, with its content as `data` in base64.',
      }),
    }),
  },
  resolve: ({ project, packageName: name, versions, distTags, attachments }, context) => {
    const given = { versions, distTags, attachments } as Pick<NpmPublication, 'versions' | 'distTags' | 'attachments'>;
    return publishNpmPackage(context, project, { name, ...given });
  },
  payload: {
    description: 'The version that was published.',
    fields: (t) => ({
      packageName: t.exposeString('name', { description: 'Name of the package, with its scope.' }),
      version: t.exposeString('version', { description: 'The version that was published.' }),
    }),
  },
});

mutation('deprecateNpmVersions', {
  description: 'Says of versions of an npm package that they are not to be used any more, and why. For developers.',
  input: {
    description: 'Which versions of an npm package are not to be used any more.',
    argument: 'The versions, and why.',
    fields: (t) => ({
      project: projectField(t, 'of the package'),
      packageName: t.string({ required: true, description: 'Name of the package, with its scope.' }),
      versions: t.field({
        type: 'JSON',
        required: true,
        description:
          'Manifests by version, as `npm deprecate` sends them: the reason is `deprecated`, and a blank one takes it back. Versions without one stay as they are.',
      }),
    }),
  },
  resolve: async ({ project, packageName: name, versions }, context) => {
    const given = { name, versions: versions as NpmPublication['versions'] };
    return { name, versions: await deprecateNpmVersions(context, project, given) };
  },
  payload: {
    description: 'The versions that were changed.',
    fields: (t) => ({
      packageName: t.exposeString('name', { description: 'Name of the package, with its scope.' }),
      versions: t.exposeStringList('versions', { description: 'The versions that were changed.' }),
    }),
  },
});

mutation('setNpmDistTag', {
  description: 'Has a tag of an npm package lead to a version. For developers.',
  input: {
    description: 'A tag of an npm package, and the version that it leads to.',
    argument: 'The tag, and its version.',
    fields: (t) => ({
      ...npmTag(t),
      version: t.string({ required: true, description: 'A version that is published.' }),
    }),
  },
  resolve: async ({ project, ...tag }, context) => {
    await setNpmDistTag(context, project, tag);
    return tag;
  },
  payload: {
    description: 'The tag after the mutation.',
    fields: (t) => ({
      tag: t.exposeString('tag', { description: 'Name of the tag that was set.' }),
      version: t.exposeString('version', { description: 'The version that it leads to.' }),
    }),
  },
});

mutation('deleteNpmDistTag', {
  description: 'Removes a tag of an npm package; the version stays. For developers.',
  input: {
    description: 'Which tag of an npm package to remove.',
    argument: 'Names the tag to remove.',
    fields: npmTag,
  },
  resolve: async ({ project, ...tag }, context) => {
    await deleteNpmDistTag(context, project, tag);
    return tag;
  },
  payload: {
    from: fromProject,
    description: 'The tag that was removed.',
    fields: (t) => ({
      deletedNpmDistTagName: t.exposeString('tag', { description: 'Name of the tag that was removed.' }),
    }),
  },
});

mutation('publishPackageFile', {
  description: 'Publishes a file of a generic package. For developers.',
  input: {
    description: 'A file of a generic package, which is created with its first one.',
    argument: 'Names the package, and the file.',
    fields: (t) => ({
      project: projectField(t, 'that publishes the package'),
      packageName: t.string({ required: true, description: 'Name of the package: letters, digits and `._-+`.' }),
      packageVersion: t.string({ required: true, description: 'Version of the package: letters, digits and `._-+`.' }),
      fileName: t.string({
        required: true,
        description: 'Name of the file, with folders; of several with one name the newest is downloaded.',
      }),
      status: t.field({ type: PackageStatus, description: 'Whether the package is shown in lists.' }),
      file: t.field({
        type: 'Upload',
        required: true,
        description: 'The file itself, sent as described in the GraphQL multipart request specification.',
      }),
    }),
  },
  resolve: ({ project, packageName: name, packageVersion: version, ...given }, context) =>
    publishFile(context, project, { name, version, ...given }),
  payload: {
    description: 'The file that was published.',
    fields: (t) => ({
      file: t.field({
        type: PackageFile,
        description: 'The file as it was recorded.',
        resolve: ({ id }, _args, context, info) => publishedFile(context, id, selectionAt(info, 'PackageFile')),
      }),
    }),
  },
});

mutation('deletePackage', {
  description: 'Deletes a version of a package with its files. For masters.',
  input: {
    description: 'Which package to delete.',
    argument: 'Names the package to delete.',
    fields: (t) => ({
      project: holderField(t, 'package'),
      id: t.field({ ...idOf('Package'), required: true, description: 'Global or numeric ID of the package.' }),
    }),
  },
  resolve: async (input, context) => {
    const project = await projectHolding(context, 'Package', input);
    return { id: await deletePackage(context, project, input.id), project };
  },
  payload: { ...deleted('Package', 'package'), from: fromProject },
});

mutation('deletePackageFile', {
  description: 'Deletes a file of a package, which stays, even if it is empty then. For masters.',
  input: {
    description: 'Which file of a package to delete.',
    argument: 'Names the file to delete.',
    fields: (t) => ({
      project: holderField(t, 'package'),
      packageId: t.field({
        ...idOf('Package'),
        description: 'Global or numeric ID of the package that the file must be of. Any package when left out.',
      }),
      id: t.field({ ...idOf('PackageFile'), required: true, description: 'Global or numeric ID of the file.' }),
    }),
  },
  resolve: async ({ packageId, ...input }, context) => {
    const project = await projectHolding(context, 'PackageFile', input);
    return { id: await deletePackageFile(context, project, { packageId, id: input.id }), project };
  },
  payload: { ...deleted('PackageFile', 'file'), from: fromProject },
});
