import { integer } from '#src/domain/gitlab_archives/relations/values.ts';
import type { StagedRecord } from '#src/domain/remote_imports/base/source.ts';
import { type Given, idIn, objectsIn, titleIn } from '#src/domain/remote_imports/base/values.ts';
import { numberOf } from '#src/domain/remote_imports/gitlab/records.ts';
import { optionalUser } from '#src/domain/remote_imports/gitlab/values.ts';

/** Types of rules that come along: others follow from files and reports. */
const TYPES: readonly unknown[] = ['regular', 'any_approver'];

/** A rule of approvals with its users and branches. Those of code owners are made of the file. */
export function approvalRuleRecords(given: Given): StagedRecord[] {
  if (!TYPES.includes(given.rule_type)) return [];
  const records: StagedRecord[] = [];
  const id = idIn(given, 'id');
  const record = {
    id,
    name: titleIn(given, 'name'),
    rule_type: given.rule_type,
    approvals_required: integer(given.approvals_required) ?? 0,
    applies_to_all_protected_branches: given.applies_to_all_protected_branches === true,
  };
  records.push({ kind: 'approval_rules', record });
  // `eligible_approvers` has members of groups, too, whom `users` leaves out.
  const users = new Set(objectsIn(given, 'users').flatMap((user) => optionalUser({ user }, 'user', records) ?? []));
  for (const user of users) records.push({ kind: 'approval_rule_users', record: { rule_id: id, user_id: user } });
  // With the switch, the branches are all those that are protected.
  const branches = record.applies_to_all_protected_branches ? [] : objectsIn(given, 'protected_branches');
  for (const name of new Set(branches.map((branch) => titleIn(branch, 'name')))) {
    records.push({ kind: 'approval_rule_branches', record: { rule_id: id, protected_branch_id: numberOf(name) } });
  }
  return records;
}

/** Says of a rule that groups of it do not come along; null if all do. */
export function groupsLeftOut(given: Given): string | null {
  return objectsIn(given, 'groups').length > 0 ? 'Groups that approve do not come along.' : null;
}
