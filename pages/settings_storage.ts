import { named } from '#pages/engine/asking.ts';
import { type Facts, form, raw } from '#pages/engine/row.ts';
import { inPlace, PLACES } from '#pages/place.ts';
import { confirmPage, settingsPage } from '#pages/settings_frame.ts';
import {
  ExportFileDocument,
  ExportPageDocument,
  GroupPackageListPageDocument,
  GroupUsagePageDocument,
  ImagesPageDocument,
  MirrorPageDocument,
  MirrorsPageDocument,
  PackageListPageDocument,
  PackagePageDocument,
  RegistryPageDocument,
  SendExportDocument,
  SendImageCleanUpDocument,
  SendImageDeletionDocument,
  SendMirrorRemovalDocument,
  SendMirrorStateDocument,
  SendMirrorSyncDocument,
  SendNewMirrorDocument,
  SendPackageDeletionDocument,
  SendPullMirrorDocument,
  SendPullStartDocument,
  SendRepositoryDeletionDocument,
  StoragePageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = (path: string) => `${PLACES.project}/${path}`;
const to =
  (...parts: string[]) =>
  (_data: unknown, { given }: Facts) =>
    inPlace(given, ...parts);

const ofMirrors = { kind: 'project', section: 'mirrors' } as const;
const toMirrors = to('settings', 'mirrors');

const mirrors = settingsPage({
  ...{ ...ofMirrors, at: 'settings/mirrors', operation: MirrorsPageDocument, view: 'mirrors' },
  may: (place) => place.viewerCanManageMirrors,
  title: (_place, { t }) => t('Mirrors'),
  show: ({ pullMirror, remoteMirrors }) => ({ pull: pullMirror, mirrors: remoteMirrors, before: pullMirror ?? {} }),
});

const mirrorRemoval = confirmPage({
  ...{ ...ofMirrors, at: 'settings/mirrors/:id/remove', operation: MirrorPageDocument },
  may: (place) => place.viewerCanManageMirrors && place.remoteMirror,
  ask: ({ remoteMirror }, { t }) => ({
    heading: t('Remove mirror?'),
    says: [t('{url} is no longer updated. What is there stays.', { url: remoteMirror?.url })],
    button: t('Remove mirror'),
    ...{ action: `settings/mirrors/${remoteMirror?.databaseId}/remove`, back: 'settings/mirrors', isDangerous: true },
  }),
});

/** Without an address and a password, those that there are stay. */
function keptSecrets({ pullUrl, password, username, ...given }: Facts['given']): Facts['given'] {
  const kept = [
    ['pullUrl', pullUrl],
    ['password', password],
    ['username', username],
  ].filter(([, value]) => value !== '' && value !== undefined);
  return { ...given, ...Object.fromEntries(kept) };
}

/** The kinds of data on the disk, with their fields. */
const SIZES = [
  ['repositorySize', label('Repository')],
  ['lfsObjectsSize', label('Large files')],
  ['jobArtifactsSize', label('Artifacts of jobs')],
  ['packagesSize', label('Packages')],
  ['containerRegistrySize', label('Container images')],
  ['uploadsSize', label('Attached files')],
  ['wikiSize', label('Wikis')],
  ['snippetsSize', label('Snippets')],
] as const;

const ofPackages = { kind: 'project', section: 'packages' } as const;

const packageDeletion = confirmPage({
  ...{ ...ofPackages, at: 'packages/:id/delete', operation: PackagePageDocument },
  may: (place) => place.viewerCanDeletePackages && place.package,
  ask: (place, { t }) => ({
    heading: t('Delete {name}?', { name: `${place.package?.name} ${place.package?.version}` }),
    says: [t('Its files can no longer be downloaded. This cannot be undone.')],
    button: t('Delete package'),
    ...{ action: `packages/${place.package?.databaseId}/delete`, back: 'packages', isDangerous: true },
  }),
});

const images = settingsPage({
  ...{ ...ofPackages, at: 'container_registry/:id', operation: ImagesPageDocument, view: 'images' },
  may: (place) => place.containerRepository,
  forVisitors: true,
  title: ({ containerRepository }) => containerRepository?.location ?? '',
  show: ({ containerRepository }) => ({ repository: containerRepository, before: { keepN: 10, olderThan: '30d' } }),
});

const imagesDeletion = confirmPage({
  ...{ ...ofPackages, at: 'container_registry/:id/delete', operation: ImagesPageDocument },
  may: (place) => place.viewerCanDeleteContainerImages && place.containerRepository,
  ask: ({ containerRepository: repository }, { t }) => ({
    heading: t('Delete {name}?', { name: repository?.location }),
    says: [
      t('{count, plural, one {# tag is} other {# tags are}} deleted with all images. This cannot be undone.', {
        count: repository?.tagsCount ?? 0,
      }),
    ],
    button: t('Delete images'),
    ...{ action: `container_registry/${repository?.databaseId}/delete`, back: 'container_registry', isDangerous: true },
  }),
});

const toImages = (_data: unknown, { given }: Facts) => inPlace(given, 'container_registry', String(given.id));

const exports = settingsPage({
  ...{ kind: 'project', section: 'export', at: 'settings/export', operation: ExportPageDocument, view: 'export' },
  may: (place) => place.viewerCanExport,
  title: (_place, { t }) => t('Export'),
  show: (place) => ({ exported: place.export, imported: place.import }),
});

/** Mirrors, what takes room on the disk, packages, images and the export of projects. */
export const settingsStorage = [
  mirrors,
  form({
    path: at('settings/mirrors/pull'),
    operation: SendPullMirrorDocument,
    names: { url: 'pullUrl' },
    says: label('The mirror was saved.'),
    variables: keptSecrets,
    goTo: toMirrors,
    again: mirrors,
  }),
  form({
    path: at('settings/mirrors/pull/start'),
    operation: SendPullStartDocument,
    says: label('The mirror is being updated.'),
    goTo: toMirrors,
    again: mirrors,
  }),
  form({
    path: at('settings/mirrors'),
    operation: SendNewMirrorDocument,
    preset: { enabled: true },
    says: label('The mirror was added.'),
    goTo: toMirrors,
    again: mirrors,
  }),
  form({
    path: at('settings/mirrors/:id/sync'),
    operation: SendMirrorSyncDocument,
    says: label('The mirror is being updated.'),
    goTo: toMirrors,
    again: mirrors,
  }),
  form({
    path: at('settings/mirrors/:id/state'),
    operation: SendMirrorStateDocument,
    required: ['enabled'],
    says: (_data, { given }) =>
      String(given.enabled) === 'true' ? label('The mirror is on.') : label('The mirror is off.'),
    goTo: toMirrors,
    again: mirrors,
  }),
  mirrorRemoval,
  form({
    path: at('settings/mirrors/:id/remove'),
    operation: SendMirrorRemovalDocument,
    says: label('The mirror was removed.'),
    goTo: toMirrors,
    asks: mirrorRemoval,
  }),
  settingsPage({
    ...{ ...ofPackages, at: 'settings/packages_and_registries', operation: StoragePageDocument, view: 'storage' },
    may: (place) => place.viewerCanUpdate,
    title: (_place, { t }) => t('Packages and registry'),
    show: ({ statistics }) => ({ sizes: statistics, contents: null, kinds: SIZES }),
  }),
  settingsPage({
    ...{ kind: 'group', section: 'usage', at: 'usage_quotas', operation: GroupUsagePageDocument, view: 'storage' },
    may: (place) => place.contents,
    title: (_place, { t }) => t('Usage'),
    show: ({ contents }) => ({ sizes: contents, contents, kinds: SIZES }),
  }),
  settingsPage({
    ...{ ...ofPackages, at: 'packages', operation: PackageListPageDocument, view: 'packages' },
    may: () => true,
    forVisitors: true,
    title: (_place, { t }) => t('Packages'),
    show: (place) => ({ packages: place.packages, canDelete: place.viewerCanDeletePackages }),
  }),
  settingsPage({
    ...{
      kind: 'group',
      section: 'packages',
      at: 'packages',
      operation: GroupPackageListPageDocument,
      view: 'packages',
    },
    may: () => true,
    forVisitors: true,
    title: (_place, { t }) => t('Packages'),
    show: (place) => ({ packages: place.packages, canDelete: false }),
  }),
  settingsPage({
    ...{ ...ofPackages, at: 'packages/:id', operation: PackagePageDocument, view: 'package' },
    may: (place) => place.package,
    forVisitors: true,
    title: ({ package: one }) => `${one?.name} ${one?.version}`,
    show: (place) => ({ one: place.package, canDelete: place.viewerCanDeletePackages }),
  }),
  packageDeletion,
  form({
    path: at('packages/:id/delete'),
    operation: SendPackageDeletionDocument,
    says: label('The package was deleted.'),
    goTo: to('packages'),
    asks: packageDeletion,
  }),
  settingsPage({
    ...{ ...ofPackages, at: 'container_registry', operation: RegistryPageDocument, view: 'registry' },
    may: () => true,
    forVisitors: true,
    title: (_place, { t }) => t('Container registry'),
    show: (place) => ({ repositories: place.containerRepositories }),
  }),
  images,
  form({
    path: at('container_registry/:id/tags/delete'),
    operation: SendImageDeletionDocument,
    names: { repositoryId: 'id' },
    says: label('The tag was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete the tag {name}?', { name: named(facts.given, 'name') }),
      says: [facts.t('Nobody can pull the image by this tag any more. This cannot be undone.')],
      button: facts.t('Delete tag'),
      back: toImages(null, facts),
    }),
    goTo: toImages,
    again: images,
  }),
  form({
    path: at('container_registry/:id/clean_up'),
    operation: SendImageCleanUpDocument,
    names: { repositoryId: 'id' },
    says: label('The tags are being deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete tags of images?'),
      says: [
        facts.t('All tags that match {pattern} are deleted, except those that are kept by the other fields.', {
          pattern: named(facts.given, 'nameRegexDelete'),
        }),
        facts.t('This cannot be undone.'),
      ],
      button: facts.t('Delete tags'),
      back: toImages(null, facts),
    }),
    goTo: toImages,
    again: images,
  }),
  imagesDeletion,
  form({
    path: at('container_registry/:id/delete'),
    operation: SendRepositoryDeletionDocument,
    says: label('The images are being deleted.'),
    goTo: to('container_registry'),
    asks: imagesDeletion,
  }),
  exports,
  form({
    path: at('settings/export'),
    operation: SendExportDocument,
    says: label('The export is being made. Come back to this page to download it.'),
    goTo: to('settings', 'export'),
    again: exports,
  }),
  raw({
    path: at('settings/export/download'),
    operation: ExportFileDocument,
    content: 'project_export',
    found: ({ project }) => (project?.viewerCanExport ? { id: project.databaseId } : null),
  }),
];
