import { mutation } from '#rest/engine/mutation.ts';
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
    ...mutation('CreateLabel', 'createLabel.label', '...LabelRecord'),
    required: ['name', 'color'],
    names: { title: 'name' },
    minimum,
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels',
    ...mutation('UpdateLabel', 'updateLabel.label', '...LabelRecord'),
    names: { ...names, ...rename },
    alternatives,
    atLeastOne: projectChanges,
    minimum,
  },
  {
    method: 'DELETE',
    path: '/projects/:id/labels',
    ...mutation('DeleteLabel', 'deleteLabel', 'deletedLabelId'),
    names,
    alternatives,
    status: 204,
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/subscribe',
    ...mutation('SubscribeToLabel', 'subscribeToLabel.label', '...LabelRecord', 'changed'),
    whenUnchanged: { at: 'subscribeToLabel.changed', status: 304 },
    names: byId,
  },
  {
    method: 'POST',
    path: '/projects/:id/labels/:label_id/unsubscribe',
    ...mutation('UnsubscribeFromLabel', 'unsubscribeFromLabel.label', '...LabelRecord', 'changed'),
    whenUnchanged: { at: 'unsubscribeFromLabel.changed', status: 304 },
    names: byId,
  },
  { method: 'GET', path: one, operation: operations.ProjectLabelDocument, result: 'project.label' },
  {
    method: 'PUT',
    path: one,
    ...mutation('UpdateLabelById', 'updateLabel.label', '...LabelRecord'),
    names: { ...byId, ...rename },
    atLeastOne: projectChanges,
    minimum,
  },
  {
    method: 'DELETE',
    path: one,
    ...mutation('DeleteLabelById', 'deleteLabel', 'deletedLabelId'),
    names: byId,
    status: 204,
  },
  {
    method: 'PUT',
    path: `${one}/promote`,
    ...mutation('PromoteLabel', 'promoteLabel.label', '...GroupLabelRecord'),
    names: byId,
  },
  {
    method: 'PUT',
    path: '/projects/:id/labels/promote',
    ...mutation('PromoteLabelByName', 'promoteLabel.label', '...GroupLabelRecord'),
    names: { 'label[title]': 'name' },
    required: ['name'],
  },
  { method: 'GET', path: ofGroup, operation: operations.GroupLabelsDocument, result: 'group.labels' },
  { method: 'GET', path: `${ofGroup}/:label_id`, operation: operations.GroupLabelDocument, result: 'group.label' },
  {
    method: 'POST',
    path: ofGroup,
    ...mutation('CreateGroupLabel', 'createLabel.label', '...GroupLabelRecord'),
    required: ['name', 'color'],
    names: { title: 'name' },
    hidden: ['priority'],
  },
  {
    method: 'PUT',
    path: ofGroup,
    ...mutation('UpdateGroupLabel', 'updateLabel.label', '...GroupLabelRecord'),
    names: { ...names, ...rename },
    hidden: ['priority'],
    alternatives,
    atLeastOne: changes,
  },
  {
    method: 'PUT',
    path: `${ofGroup}/:label_id`,
    ...mutation('UpdateGroupLabelById', 'updateLabel.label', '...GroupLabelRecord'),
    names: { ...byId, ...rename },
    hidden: ['priority'],
    atLeastOne: changes,
  },
  {
    method: 'DELETE',
    path: ofGroup,
    ...mutation('DeleteGroupLabel', 'deleteLabel', 'deletedLabelId'),
    names,
    alternatives,
    status: 204,
  },
  {
    method: 'DELETE',
    path: `${ofGroup}/:label_id`,
    ...mutation('DeleteGroupLabelById', 'deleteLabel', 'deletedLabelId'),
    names: byId,
    status: 204,
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/subscribe`,
    ...mutation('SubscribeToGroupLabel', 'subscribeToLabel.label', '...GroupLabelRecord', 'changed'),
    whenUnchanged: { at: 'subscribeToLabel.changed', status: 304 },
    names: byId,
  },
  {
    method: 'POST',
    path: `${ofGroup}/:label_id/unsubscribe`,
    ...mutation('UnsubscribeFromGroupLabel', 'unsubscribeFromLabel.label', '...GroupLabelRecord', 'changed'),
    whenUnchanged: { at: 'unsubscribeFromLabel.changed', status: 304 },
    names: byId,
  },
];
