import { type Facts, form, page, type Row } from '#pages/engine/row.ts';
import { path } from '#src/entrances/web/pages/helpers.ts';
import {
  LabelListPageDocument,
  LabelPageDocument,
  type LabelPageQuery,
  NewLabelPageDocument,
  SendLabelChangeDocument,
  SendLabelDeletionDocument,
  SendLabelSubscriptionDocument,
  SendLabelUnsubscriptionDocument,
  SendNewLabelDocument,
} from '#src/generated/page_operations.ts';

const LIST = '/:project/-/labels';

const newLabel = page({
  path: `${LIST}/new`,
  operation: NewLabelPageDocument,
  view: 'labels/new',
  found: ({ project }) => (project?.viewerCanManageLabels ? project : null),
  title: (project) => `New label · ${project.fullPath}`,
  show: (project) => ({ project, before: { color: '#428bca' }, tab: 'issues' }),
  signIn: true,
});

type ShownLabel = Extract<LabelPageQuery['node'], { title: string }>;

/** A page about what is done with one label of the project, for those who may. */
const about = (name: 'edit' | 'delete', label: string, right: 'viewerCanUpdate' | 'viewerCanDelete') =>
  page({
    path: `${LIST}/:label/${name}`,
    operation: LabelPageDocument,
    view: `labels/${name}`,
    found: ({ project, node }) => {
      if (!project || !node || !('title' in node)) return null;
      const found = node as ShownLabel;
      return found[right] && found.project?.fullPath === project.fullPath ? { project, label: found } : null;
    },
    title: ({ project, label: { title } }) => `${label} ${title} · ${project.fullPath}`,
    show: ({ project, label: one }) => ({ project, label: one, before: one, tab: 'issues' }),
    signIn: true,
  });

const editLabel = about('edit', 'Edit label', 'viewerCanUpdate');
const deleteLabel = about('delete', 'Delete label', 'viewerCanDelete');

const back = (_data: unknown, { given, url }: Facts) => `${path(String(given.project), '-', 'labels')}${url.search}`;

export const labels: Row[] = [
  page({
    path: LIST,
    operation: LabelListPageDocument,
    view: 'labels/list',
    found: ({ project }) => project,
    title: (project) => `Labels · ${project.fullPath}`,
    show: (project) => ({ project, labels: project.labels, tab: 'issues' }),
    pageSize: 50,
  }),
  newLabel,
  form({ path: LIST, operation: SendNewLabelDocument, goTo: back, again: newLabel }),
  editLabel,
  form({ path: `${LIST}/:label/edit`, operation: SendLabelChangeDocument, goTo: back, again: editLabel }),
  deleteLabel,
  form({ path: `${LIST}/:label/delete`, operation: SendLabelDeletionDocument, goTo: back }),
  form({ path: `${LIST}/:label/subscribe`, operation: SendLabelSubscriptionDocument, goTo: back }),
  form({ path: `${LIST}/:label/unsubscribe`, operation: SendLabelUnsubscriptionDocument, goTo: back }),
];
