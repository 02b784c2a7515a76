import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind, shownIn } from '#pages/place.ts';
import {
  GroupLabelListPageDocument,
  type GroupLabelListPageQuery,
  GroupLabelPageDocument,
  type GroupLabelPageQuery,
  LabelListPageDocument,
  type LabelListPageQuery,
  LabelPageDocument,
  type LabelPageQuery,
  NewGroupLabelPageDocument,
  type NewGroupLabelPageQuery,
  NewLabelPageDocument,
  type NewLabelPageQuery,
  SendLabelChangeDocument,
  SendLabelDeletionDocument,
  SendLabelSubscriptionDocument,
  SendLabelUnsubscriptionDocument,
  SendNewLabelDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

type Query<Data> = TypedDocumentNode<Data, never>;

interface Queries {
  list: Query<LabelListPageQuery | GroupLabelListPageQuery>;
  create: Query<NewLabelPageQuery | NewGroupLabelPageQuery>;
  edit: Query<LabelPageQuery | GroupLabelPageQuery>;
}

/** The labels of projects and of groups, which are shown and changed alike. */
function labelsOf(kind: PlaceKind, { list, create, edit }: Queries) {
  const at = `${PLACES[kind]}/labels`;
  const shown = <Place extends { fullPath: string }>(place: Place) => ({
    ...shownIn(kind, place),
    tab: 'issues',
    section: 'labels',
  });
  const newLabel = page({
    path: `${at}/new`,
    operation: create,
    view: 'labels/new',
    found: ({ place }) => (place?.viewerCanManageLabels ? place : null),
    title: (place, { t }) => `${t('New label')} · ${place.fullPath}`,
    show: (place) => ({ ...shown(place), before: { color: '#428bca' } }),
    signIn: true,
  });
  /** A page about what is done with one label of the place, for those who may. */
  const about = (name: 'edit' | 'delete', title: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
    page({
      path: `${at}/:label/${name}`,
      operation: edit,
      view: `labels/${name}`,
      found: ({ place, node }) => {
        if (!place || !node || !('title' in node) || !node[right]) return null;
        return (node.project ?? node.group)?.fullPath === place.fullPath ? { place, label: node } : null;
      },
      title: ({ place, label: one }, { t }) => `${t(title, { title: one.title })} · ${place.fullPath}`,
      show: ({ place, label: one }) => ({ ...shown(place), label: one, before: one }),
      signIn: true,
    });
  const editLabel = about('edit', label('Edit label {title}'), 'viewerCanUpdate');
  const deletion = about('delete', label('Delete label {title}'), 'viewerCanDelete');
  const back = (_data: unknown, { given, url }: Facts) => `${inPlace(given, 'labels')}${url.search}`;
  return [
    page({
      path: at,
      operation: list,
      view: 'labels/list',
      found: ({ place }) => place,
      title: (place, { t }) => `${t('Labels')} · ${place.fullPath}`,
      show: (place) => ({ ...shown(place), labels: place.labels }),
      pageSize: 50,
    }),
    newLabel,
    form({
      path: at,
      operation: SendNewLabelDocument,
      says: label('The label was created.'),
      goTo: back,
      again: newLabel,
    }),
    editLabel,
    form({
      path: `${at}/:label/edit`,
      operation: SendLabelChangeDocument,
      names: { 'label[id]': 'label' },
      required: ['title', 'color'],
      says: label('The label was saved.'),
      goTo: back,
      again: editLabel,
    }),
    deletion,
    form({
      path: `${at}/:label/delete`,
      operation: SendLabelDeletionDocument,
      names: { 'label[id]': 'label' },
      says: label('The label was deleted.'),
      goTo: back,
      asks: deletion,
      again: null,
    }),
    form({
      path: `${at}/:label/subscribe`,
      operation: SendLabelSubscriptionDocument,
      names: { 'label[id]': 'label' },
      says: label('You are notified of new issues and merge requests with the label.'),
      goTo: back,
    }),
    form({
      path: `${at}/:label/unsubscribe`,
      operation: SendLabelUnsubscriptionDocument,
      names: { 'label[id]': 'label' },
      says: label('You are no longer notified of the label.'),
      goTo: back,
    }),
  ];
}

export const labels = [
  ...labelsOf('project', {
    list: LabelListPageDocument,
    create: NewLabelPageDocument,
    edit: LabelPageDocument,
  }),
  ...labelsOf('group', {
    list: GroupLabelListPageDocument,
    create: NewGroupLabelPageDocument,
    edit: GroupLabelPageDocument,
  }),
];
