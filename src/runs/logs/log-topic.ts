/** What is announced in the database when the log of a phase has grown. */
export const logTopic = (phaseId: string): string => `log ${phaseId}`
