CREATE TABLE `ssh_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`value_sealed` blob NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `ssh_keys_organization_idx` ON `ssh_keys` (`organization_id`,`name`);--> statement-breakpoint
ALTER TABLE `workspaces` ADD `ssh_key_id` text;