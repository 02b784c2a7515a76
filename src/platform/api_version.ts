/**
 * The version of the API, by which its clients decide what they may ask for: three integers. It rises with what is added, and says
 * nothing of Gantry's own releases (`packageVersion`). 9.5: notes and merge requests are addressed by their numbers within a project.
 */
export const API_VERSION = '9.5.0';
