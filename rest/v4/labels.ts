import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const minimum = { priority: 0 };
const changes = ['new_name', 'color', 'description', 'archived'];
const projectChanges = ['new_name', 'color', 'description', 'priority', 'archived'];
const one = '/projects/:id/labels/:label_id';
const ofGroup = '/groups/:id/labels';

/** A label is named by its title, or by its ID. */
const names = { 'label[title]': 'name', 'label[id_or_title]': 'label_id' };
const alternatives = ['name', 'label_id'];
const byId = { 'label[id_or_title]': 'label_id' };
const rename = { title: 'new_name' };

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
    required: ['name', 'color'],
    names: { title: 'name' },
    result: 'createLabel.label',
    minimum,
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels',
    operation: operations.UpdateLabelDocument,
    names: { ...names, ...rename },
    alternatives,
    result: 'updateLabel.label',
    atLeastOne: projectChanges,
    minimum,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/labels',
    operation: operations.DeleteLabelDocument,
    names,
    alternatives,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/subscribe',
    operation: operations.SubscribeToLabelDocument,
    names: byId,
    result: 'subscribeToLabel.label',
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/unsubscribe',
    operation: operations.UnsubscribeFromLabelDocument,
    names: byId,
    result: 'unsubscribeFromLabel.label',
  },
  { method: 'GET', path: one, operation: operations.ProjectLabelDocument, result: 'project.label' },
  {
    method: 'PUT',
    path: one,
    operation: operations.UpdateLabelByIdDocument,
    names: { ...byId, ...rename },
    result: 'updateLabel.label',
    atLeastOne: projectChanges,
    minimum,
  },
  {
    method: 'DELETE',
    path: one,
    operation: operations.DeleteLabelByIdDocument,
    names: byId,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'PUT',
    path: `${one}/promote`,
    operation: operations.PromoteLabelDocument,
    names: byId,
    result: 'promoteLabel.label',
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels/promote',
    operation: operations.PromoteLabelByNameDocument,
    names: { 'label[title]': 'name' },
    required: ['name'],
    result: 'promoteLabel.label',
  },
  { method: 'GET', path: ofGroup, operation: operations.GroupLabelsDocument, result: 'group.labels' },
  { method: 'GET', path: `${ofGroup}/:label_id`, operation: operations.GroupLabelDocument, result: 'group.label' },
  {
    method: 'POST',
    path: ofGroup,
    operation: operations.CreateGroupLabelDocument,
    required: ['name', 'color'],
    names: { title: 'name' },
    hidden: ['priority'],
    result: 'createLabel.label',
  },
  {
    method: 'PUT',
    path: ofGroup,
    operation: operations.UpdateGroupLabelDocument,
    names: { ...names, ...rename },
    hidden: ['priority'],
    alternatives,
    result: 'updateLabel.label',
    atLeastOne: changes,
  },
  {
    method: 'PUT',
    path: `${ofGroup}/:label_id`,
    operation: operations.UpdateGroupLabelByIdDocument,
    names: { ...byId, ...rename },
    hidden: ['priority'],
    result: 'updateLabel.label',
    atLeastOne: changes,
  },
  {
    method: 'DELETE',
    path: ofGroup,
    operation: operations.DeleteGroupLabelDocument,
    names,
    alternatives,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'DELETE',
    path: `${ofGroup}/:label_id`,
    operation: operations.DeleteGroupLabelByIdDocument,
    names: byId,
    result: 'deleteLabel',
    status: 204,
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/subscribe`,
    operation: operations.SubscribeToGroupLabelDocument,
    names: byId,
    result: 'subscribeToLabel.label',
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/unsubscribe`,
    operation: operations.UnsubscribeFromGroupLabelDocument,
    names: byId,
    result: 'unsubscribeFromLabel.label',
  },
];
