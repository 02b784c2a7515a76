/**
 * The version of the API, by which its clients decide what they may ask for: three integers. It rises with what is added, and says
 * nothing of Gantry's own releases (`packageVersion`). 15.6: discussions with positions, rebases, approvals, drafts, reviewers and
 * `detailed_merge_status`.
 */
export const API_VERSION = '15.6.0';
