import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { shownFiles } from '#pages/diff.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page, raw } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import { treeOf } from '#pages/wiki_tree.ts';
import {
  EditWikiPageDocument,
  type EditWikiPageQuery,
  GroupEditWikiPageDocument,
  type GroupEditWikiPageQuery,
  GroupNewWikiPageDocument,
  type GroupNewWikiPageQuery,
  GroupWikiComparePageDocument,
  type GroupWikiComparePageQuery,
  GroupWikiHistoryPageDocument,
  type GroupWikiHistoryPageQuery,
  GroupWikiHomePageDocument,
  type GroupWikiHomePageQuery,
  GroupWikiListPageDocument,
  type GroupWikiListPageQuery,
  GroupWikiShowPageDocument,
  type GroupWikiShowPageQuery,
  NewWikiPageDocument,
  type NewWikiPageQuery,
  RawGroupWikiFileDocument,
  type RawGroupWikiFileQuery,
  RawWikiFileDocument,
  type RawWikiFileQuery,
  SendGroupWikiAttachmentDocument,
  type SendGroupWikiAttachmentMutation,
  SendGroupWikiPageChangeDocument,
  type SendGroupWikiPageChangeMutation,
  SendGroupWikiPageDeletionDocument,
  type SendGroupWikiPageDeletionMutation,
  SendNewGroupWikiPageDocument,
  type SendNewGroupWikiPageMutation,
  SendNewWikiPageDocument,
  type SendNewWikiPageMutation,
  SendWikiAttachmentDocument,
  type SendWikiAttachmentMutation,
  SendWikiPageChangeDocument,
  type SendWikiPageChangeMutation,
  SendWikiPageDeletionDocument,
  type SendWikiPageDeletionMutation,
  WikiComparePageDocument,
  type WikiComparePageQuery,
  WikiHistoryPageDocument,
  type WikiHistoryPageQuery,
  WikiHomePageDocument,
  type WikiHomePageQuery,
  WikiListPageDocument,
  type WikiListPageQuery,
  WikiShowPageDocument,
  type WikiShowPageQuery,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Query<Data> = TypedDocumentNode<Data, never>;

/** The operations of one kind of place. */
interface Operations {
  home: Query<WikiHomePageQuery | GroupWikiHomePageQuery>;
  list: Query<WikiListPageQuery | GroupWikiListPageQuery>;
  show: Query<WikiShowPageQuery | GroupWikiShowPageQuery>;
  create: Query<NewWikiPageQuery | GroupNewWikiPageQuery>;
  edit: Query<EditWikiPageQuery | GroupEditWikiPageQuery>;
  history: Query<WikiHistoryPageQuery | GroupWikiHistoryPageQuery>;
  compare: Query<WikiComparePageQuery | GroupWikiComparePageQuery>;
  file: Query<RawWikiFileQuery | RawGroupWikiFileQuery>;
  sendNew: Query<SendNewWikiPageMutation | SendNewGroupWikiPageMutation>;
  sendChange: Query<SendWikiPageChangeMutation | SendGroupWikiPageChangeMutation>;
  sendDeletion: Query<SendWikiPageDeletionMutation | SendGroupWikiPageDeletionMutation>;
  sendFile: Query<SendWikiAttachmentMutation | SendGroupWikiAttachmentMutation>;
}

/** How the formats of pages are called. */
const FORMATS = [
  ['MARKDOWN', 'Markdown'],
  ['ASCIIDOC', 'AsciiDoc'],
  ['ORG', 'Org'],
  ['RDOC', 'RDoc'],
] as const;

/** The title of a page in forms, in which slashes are folders. */
const titleIn = (slug: string) => slug.replaceAll('-', ' ');

/** Browsers send all lines with CR and LF. A title that was not changed moves nothing; one without slashes is one at the root. */
function withTexts(given: Facts['given']): Facts['given'] {
  const { title, titleBefore, content } = given;
  const text = typeof content === 'string' ? content.replaceAll('\r\n', '\n') : content;
  const named = titleBefore === undefined || typeof title !== 'string' || title.trim() === '' ? title : `/${title}`;
  return { ...given, content: text, title: titleBefore !== undefined && title === titleBefore ? undefined : named };
}

/** The address of a page of the wiki of the place that the parameters of a path name. */
const toPage = ({ given }: Facts, slug: unknown, ...rest: string[]) =>
  inPlace(given, 'wikis', ...(slug ? [String(slug), ...rest] : []));

/** The wikis of projects and of groups, which are shown and changed alike. */
function wikisOf(kind: PlaceKind, operations: Operations) {
  const at = `${PLACES[kind]}/wikis`;
  const shown = <Place extends { fullPath: string }>(place: Place) => ({ ...shownIn(kind, place), tab: 'wikis' });
  const titled = (title: string, { fullPath }: { fullPath: string }, { t }: Facts) =>
    `${title} · ${t('Wiki')} · ${fullPath}`;
  const newPage = page({
    path: `${at}/new`,
    operation: operations.create,
    view: 'wikis/new',
    found: ({ place }) => (place?.wiki?.viewerCanUpdate ? place : null),
    title: (place, facts) => titled(facts.t('New page'), place, facts),
    show: (place, { given }) => ({
      ...shown(place),
      formats: FORMATS,
      before: { title: typeof given.title === 'string' ? given.title : '', content: '', format: 'MARKDOWN' },
    }),
    signIn: true,
  });
  const editPage = page({
    path: `${at}/*slug/edit`,
    operation: operations.edit,
    view: 'wikis/edit',
    found: ({ place }) => {
      const one = place?.wiki?.page;
      return place?.wiki?.viewerCanUpdate && one ? { place, wikiPage: one } : null;
    },
    title: ({ place, wikiPage }, facts) => titled(facts.t('Edit {name}', { name: wikiPage.title }), place, facts),
    show: ({ place, wikiPage }) => ({
      ...{ ...shown(place), wikiPage, formats: FORMATS },
      before: { title: titleIn(wikiPage.slug), content: wikiPage.content, format: wikiPage.format },
    }),
    signIn: true,
  });
  const upload = page({
    path: `${at}/uploads/new`,
    operation: operations.create,
    view: 'wikis/upload',
    found: ({ place }) => (place?.wiki?.viewerCanUpdate ? place : null),
    title: (place, facts) => titled(facts.t('Attach a file'), place, facts),
    show: (place) => shown(place),
    signIn: true,
  });
  const fileAt = (pattern: string, pathOf: (given: Facts['given']) => string) =>
    raw({
      path: `${at}/${pattern}`,
      operation: operations.file,
      content: 'wiki_file',
      variables: (given) => ({ ...given, path: pathOf(given) }),
      found: ({ place }, { given }) => place?.wiki?.file && { [kind]: String(given[kind]), path: place.wiki.file.path },
    });
  return [
    page({
      path: at,
      operation: operations.home,
      view: 'wikis/empty',
      found: ({ place }) => (place?.wiki ? { place, wiki: place.wiki } : null),
      title: ({ place }, { t }) => `${t('Wiki')} · ${place.fullPath}`,
      show: ({ place, wiki }) => ({ ...shown(place), wiki }),
      redirectTo: ({ wiki }, facts) =>
        wiki.page ? toPage(facts, 'home') : wiki.pages.nodes.length > 0 ? toPage(facts, 'pages') : null,
    }),
    page({
      path: `${at}/pages`,
      operation: operations.list,
      view: 'wikis/list',
      found: ({ place }) => (place?.wiki ? { place, wiki: place.wiki } : null),
      title: ({ place }, facts) => titled(facts.t('All pages'), place, facts),
      show: ({ place, wiki }) => ({ ...shown(place), wiki, tree: treeOf(wiki.pages.nodes) }),
      pageSize: 100,
    }),
    newPage,
    form({
      path: at,
      operation: operations.sendNew,
      required: ['title', 'content'],
      variables: withTexts,
      says: label('The page was created.'),
      goTo: ({ sent }, facts) => toPage(facts, sent?.wikiPage.slug),
      again: newPage,
    }),
    upload,
    form({
      path: upload.path,
      operation: operations.sendFile,
      takesFiles: true,
      says: null,
      goTo: (_data, facts) => toPage(facts, null),
      shows: ({ sent }, { given, t }) =>
        sent && {
          view: 'notes/uploaded',
          title: t('Attach a file'),
          values: { upload: sent.attachment.link, fullPath: String(given.project ?? given.group) },
        },
      again: upload,
    }),
    fileAt('uploads/*file', ({ file }) => `uploads/${file}`),
    editPage,
    form({
      path: `${at}/*slug/edit`,
      operation: operations.sendChange,
      required: ['content'],
      variables: withTexts,
      says: label('The page was saved.'),
      goTo: ({ sent }, facts) => toPage(facts, sent?.wikiPage.slug),
      again: editPage,
    }),
    form({
      path: `${at}/*slug/delete`,
      operation: operations.sendDeletion,
      says: label('The page was deleted.'),
      asks: (facts) => ({
        heading: facts.t('Delete the page {name}?', { name: named(facts.given) }),
        says: [facts.t('Its history stays in the repository of the wiki.')],
        button: facts.t('Delete page'),
        back: toPage(facts, facts.given.slug),
      }),
      goTo: (_data, facts) => toPage(facts, null),
    }),
    page({
      path: `${at}/*slug/history`,
      operation: operations.history,
      view: 'wikis/history',
      found: ({ place }) => {
        const one = place?.wiki?.page;
        return place && one ? { place, wikiPage: one } : null;
      },
      title: ({ place, wikiPage }, facts) => titled(`${facts.t('History')} · ${wikiPage.title}`, place, facts),
      show: ({ place, wikiPage }) => ({ ...shown(place), wikiPage }),
      redirectTo: ({ wikiPage }, facts) =>
        wikiPage.slug === facts.given.slug ? null : toPage(facts, wikiPage.slug, 'history'),
    }),
    page({
      path: `${at}/*slug/compare`,
      operation: operations.compare,
      view: 'wikis/compare',
      found: ({ place }) => {
        const one = place?.wiki?.page;
        return place && one?.fileDiffs ? { place, wikiPage: one, diff: one.fileDiffs } : null;
      },
      title: ({ place, wikiPage }, facts) => titled(`${facts.t('Changes')} · ${wikiPage.title}`, place, facts),
      show: ({ place, wikiPage, diff }, facts) => ({
        ...{ ...shown(place), wikiPage, diff, files: shownFiles(diff, facts) },
        from: typeof facts.given.from === 'string' ? facts.given.from : null,
        to: typeof facts.given.to === 'string' ? facts.given.to : wikiPage.version,
      }),
    }),
    page({
      path: `${at}/*slug`,
      operation: operations.show,
      view: 'wikis/show',
      found: ({ place }) => {
        const one = place?.wiki?.page;
        return place?.wiki && one ? { place, wiki: place.wiki, wikiPage: one } : null;
      },
      title: ({ place, wikiPage }, facts) => titled(wikiPage.title, place, facts),
      show: ({ place, wiki, wikiPage }, { given }) => ({
        ...{ ...shown(place), wiki, wikiPage, tree: treeOf(wiki.listed.nodes) },
        isOld: given.version !== undefined && given.version !== '',
      }),
      // A page of an earlier name leads on to the present one.
      redirectTo: ({ wikiPage }, facts) =>
        facts.given.version || wikiPage.slug === facts.given.slug ? null : toPage(facts, wikiPage.slug),
    }),
    fileAt('*file', ({ file }) => String(file)),
  ];
}

export const wikis = [
  ...wikisOf('project', {
    home: WikiHomePageDocument,
    list: WikiListPageDocument,
    show: WikiShowPageDocument,
    create: NewWikiPageDocument,
    edit: EditWikiPageDocument,
    history: WikiHistoryPageDocument,
    compare: WikiComparePageDocument,
    file: RawWikiFileDocument,
    sendNew: SendNewWikiPageDocument,
    sendChange: SendWikiPageChangeDocument,
    sendDeletion: SendWikiPageDeletionDocument,
    sendFile: SendWikiAttachmentDocument,
  }),
  ...wikisOf('group', {
    home: GroupWikiHomePageDocument,
    list: GroupWikiListPageDocument,
    show: GroupWikiShowPageDocument,
    create: GroupNewWikiPageDocument,
    edit: GroupEditWikiPageDocument,
    history: GroupWikiHistoryPageDocument,
    compare: GroupWikiComparePageDocument,
    file: RawGroupWikiFileDocument,
    sendNew: SendNewGroupWikiPageDocument,
    sendChange: SendGroupWikiPageChangeDocument,
    sendDeletion: SendGroupWikiPageDeletionDocument,
    sendFile: SendGroupWikiAttachmentDocument,
  }),
];
