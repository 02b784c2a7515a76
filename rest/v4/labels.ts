import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const minimum = { priority: 0 };
const changes = ['new_name', 'color', 'description', 'archived'];
const projectChanges = ['new_name', 'color', 'description', 'priority', 'archived'];
const one = '/projects/:id/labels/:label_id';
const ofGroup = '/groups/:id/labels';

/** A label is named by its title, or by its ID. */
const which = {
  names: { title: 'name', id_or_title: 'label_id' },
  hidden: ['id'],
  alternatives: ['name', 'label_id'],
};

export const labels: Route[] = [
  {
    method: 'GET',
    path: '/projects/:id/labels',
    operation: operations.ProjectLabelsDocument,
    result: 'project.labels',
  },
  {
    method: 'POST',
    path: '/projects/:id/labels',
    operation: operations.CreateLabelDocument,
    result: 'createLabel.label',
    minimum,
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels',
    operation: operations.UpdateLabelDocument,
    ...which,
    result: 'updateLabel.label',
    atLeastOne: projectChanges,
    minimum,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/labels',
    operation: operations.DeleteLabelDocument,
    ...which,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/subscribe',
    operation: operations.SubscribeToLabelDocument,
    result: 'subscribeToLabel.label',
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/unsubscribe',
    operation: operations.UnsubscribeFromLabelDocument,
    result: 'unsubscribeFromLabel.label',
  },
  { method: 'GET', path: one, operation: operations.ProjectLabelDocument, result: 'project.label' },
  {
    method: 'PUT',
    path: one,
    operation: operations.UpdateLabelByIdDocument,
    result: 'updateLabel.label',
    atLeastOne: projectChanges,
    minimum,
  },
  { method: 'DELETE', path: one, operation: operations.DeleteLabelByIdDocument, result: 'deleteLabel', status: 204 },
  { method: 'PUT', path: `${one}/promote`, operation: operations.PromoteLabelDocument, result: 'promoteLabel.label' },
  {
    method: 'PUT',
    path: '/projects/:id/labels/promote',
    operation: operations.PromoteLabelByNameDocument,
    result: 'promoteLabel.label',
  },
  { method: 'GET', path: ofGroup, operation: operations.GroupLabelsDocument, result: 'group.labels' },
  { method: 'GET', path: `${ofGroup}/:label_id`, operation: operations.GroupLabelDocument, result: 'group.label' },
  { method: 'POST', path: ofGroup, operation: operations.CreateGroupLabelDocument, result: 'createLabel.label' },
  {
    method: 'PUT',
    path: ofGroup,
    operation: operations.UpdateGroupLabelDocument,
    ...which,
    result: 'updateLabel.label',
    atLeastOne: changes,
  },
  {
    method: 'PUT',
    path: `${ofGroup}/:label_id`,
    operation: operations.UpdateGroupLabelByIdDocument,
    result: 'updateLabel.label',
    atLeastOne: changes,
  },
  {
    method: 'DELETE',
    path: ofGroup,
    operation: operations.DeleteGroupLabelDocument,
    ...which,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'DELETE',
    path: `${ofGroup}/:label_id`,
    operation: operations.DeleteGroupLabelByIdDocument,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/subscribe`,
    operation: operations.SubscribeToGroupLabelDocument,
    result: 'subscribeToLabel.label',
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/unsubscribe`,
    operation: operations.UnsubscribeFromGroupLabelDocument,
    result: 'unsubscribeFromLabel.label',
  },
];
